package vocabulary

var (
	// RunnerNouns are subjects of tools that run something else.
	RunnerNouns = Set{List: `tool command cmd shell bash terminal code script sql query function statement cli console program`}
	// CalledKeys are the arguments of a proxy that name the tool to call.
	CalledKeys = Set{List: `tool_name tool function_name function method operation action command_name endpoint_name`}
	// CommandKeys are the arguments that hold a command of a shell.
	CommandKeys = Set{List: `command cmd script shell_command bash_command command_line commands input`}
	// QueryKeys are the arguments that hold a query of a database.
	QueryKeys = Set{List: `query sql statement sql_query`}
)

// WrapperCommands are commands that run the command behind them: sudo kubectl.
var WrapperCommands = Set{List: `sudo env time nohup watch exec command xargs timeout`}
