// The order of the pages. A page of docs/ that is missing here ends the build.

export interface Group {
  readonly title: string
  /** Names of files of docs/, without `.md`. */
  readonly pages: readonly string[]
}

export const contents: readonly Group[] = [
  { title: 'Start', pages: ['tour', 'tutorial', 'existing-database', 'concepts', 'modelling', 'comparison', 'moving'] },
  { title: 'Model', pages: ['tables', 'relationships', 'functions', 'postgres-types', 'postgis', 'sql', 'metadata'] },
  {
    title: 'Access',
    pages: ['permissions', 'inherited-roles', 'authentication', 'auth-providers', 'limits', 'collections'],
  },
  {
    title: 'Ask',
    pages: [
      'queries',
      'mutations',
      'subscriptions',
      'rest-endpoints',
      'relay',
      'data',
      'explain',
      'clients',
      'graphiql',
      'openapi',
      'errors',
    ],
  },
  {
    title: 'Console',
    pages: [
      'console',
      'console-now',
      'console-api',
      'console-data',
      'console-rows',
      'console-permissions',
      'console-sql',
      'console-events',
      'console-remote',
      'console-govern',
    ],
  },
  {
    title: 'Connect',
    pages: [
      'actions',
      'custom-types',
      'mcp',
      'remote-schemas',
      'remote-relationships',
      'stitching',
      'federation',
      'transforms',
    ],
  },
  { title: 'Events', pages: ['event-triggers', 'scheduled', 'jobs'] },
  {
    title: 'Operate',
    pages: [
      'command-line',
      'configuration',
      'server',
      'production',
      'threats',
      'observability',
      'performance',
      'scaling',
      'backup',
      'v2',
      'dialect',
    ],
  },
  {
    title: 'Plugins',
    pages: ['plugins', 'plugins-recipes', 'plugins-reference', 'plugins-graphql', 'plugins-columns'],
  },
]
