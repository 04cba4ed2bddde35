package wire

// OwnResult is the member of the _meta of an MCP result that marks the tools of this module. Their
// results are not recorded, so that recalled entities do not count as new ones.
const OwnResult = "go-workingmemory.github.io/own"
