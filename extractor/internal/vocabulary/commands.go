package vocabulary

var (
	// RunnerNouns are subjects of tools that run something else.
	RunnerNouns = Set{List: `tool command cmd shell bash terminal code script sql query function statement cli console program`}
	// CalledKeys are the arguments of a proxy that name the tool to call.
	CalledKeys = Set{List: `tool_name tool function_name function method operation action command_name endpoint_name`}
	// CommandKeys are the arguments that hold a command of a shell.
	CommandKeys = Set{List: `command cmd script shell_command bash_command command_line commands input`}
	// WordKeys are the arguments that hold a command as a list of words.
	WordKeys = Set{List: `args argv arguments command cmd`}
	// QueryKeys are the arguments that hold a query of a database.
	QueryKeys = Set{List: `query sql statement sql_query`}
)

// GroupedCommands are programs whose commands name what they are about before they say what to
// do: gh issue list, docker secret ls.
var GroupedCommands = Set{List: `gh glab az gcloud heroku fly flyctl doctl stripe vercel openstack hcloud linode-cli ibmcloud oci
	docker podman helm nomad consul scw civo exo nerdctl minikube kind argocd argo flux circleci railway supabase netlify jira`}

// WrapperCommands are commands that run the command behind them: sudo kubectl.
var WrapperCommands = Set{List: `sudo env time nohup watch exec command xargs timeout`}
