// Options of MCP. Without any of them, roles other than admin read through queries that administrators have allowed.

import { type Engine, type OptionValues, option } from '../../sdk/index.ts'

export const mcpOptions = {
  mcpAllowAdmin: option.flagOnly({
    flag: 'mcp-allow-admin',
    variable: 'MCP_ALLOW_ADMIN',
    description: 'let the role admin use the tools of MCP',
  }),
  mcpMutations: option.flagOnly({
    flag: 'mcp-mutations',
    variable: 'MCP_MUTATIONS',
    description: 'offer the mutations of the allow-list as tools of MCP, too',
  }),
  mcpFreeQueries: option.flagOnly({
    flag: 'mcp-free-queries',
    variable: 'MCP_FREE_QUERIES',
    description: 'offer a tool of MCP that runs any query which the role may run',
  }),
  mcpMaxDepth: option.whole(
    5,
    { minimum: 0, maximum: 100 },
    {
      flag: 'mcp-max-depth',
      variable: 'MCP_MAX_DEPTH',
      placeholder: 'N',
      description: 'levels of fields below the root fields of a free query',
    },
  ),
  mcpMaxRows: option.whole(
    100,
    { minimum: 1, maximum: 100_000 },
    {
      flag: 'mcp-max-rows',
      variable: 'MCP_MAX_ROWS',
      placeholder: 'N',
      description: 'rows of each list in the answer to a free query',
    },
  ),
  mcpMaxTime: option.whole(
    10,
    { minimum: 1, maximum: 3600 },
    {
      flag: 'mcp-max-time',
      variable: 'MCP_MAX_TIME',
      placeholder: 'SECONDS',
      description: 'time of a free query',
    },
  ),
  mcpMaxAnswer: option.whole(
    262_144,
    { minimum: 1024, maximum: 67_108_864 },
    {
      flag: 'mcp-max-answer',
      variable: 'MCP_MAX_ANSWER',
      placeholder: 'BYTES',
      description: 'largest answer of a query by MCP',
    },
  ),
}

/** The engine as this plugin sees it. */
export type McpEngine = Engine<OptionValues<typeof mcpOptions>>
