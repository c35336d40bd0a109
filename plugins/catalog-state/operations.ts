// Reading and replacing the stored states of tools.

import { Type } from '../../sdk/index.ts'
import { NoArguments, operation } from '../../sdk/metadata.ts'
import { parseJson } from '../../sdk/services.ts'

const tools = ['cli', 'console'] as const

const CatalogState = Type.Object({ id: Type.String(), cli_state: Type.Unknown(), console_state: Type.Unknown() })

/** The installation's identity, and each tool's state, empty at first. */
export const getCatalogState = operation({
  type: 'get_catalog_state',
  about: { summary: 'Returns the state that tools have stored.', result: CatalogState },
  args: NoArguments,
  editsMetadata: false,
  onlyReads: true,
  async handle({ transaction }) {
    const [metadata] = await transaction.rows<{ id: string }>('select id from trellis.metadata')
    const rows = await transaction.rows<{ tool: string; state: string }>(
      'select tool, state::text as state from trellis.catalog_state',
    )
    const states = new Map(rows.map(({ tool, state }) => [tool, parseJson(state, 'precise')]))
    const members = tools.map((tool) => [`${tool}_state`, states.has(tool) ? states.get(tool) : {}])
    return { id: metadata?.id, ...Object.fromEntries(members) }
  },
})

const SetCatalogStateArgs = Type.Object({
  type: Type.Union(tools.map((tool) => Type.Literal(tool))),
  state: Type.Unknown(),
})

/** Replaces the state of one tool. */
export const setCatalogState = operation({
  type: 'set_catalog_state',
  about: { summary: 'Replaces the state of a tool.' },
  args: SetCatalogStateArgs,
  editsMetadata: false,
  async handle({ transaction }, { type, state }) {
    await transaction.rows(
      `insert into trellis.catalog_state (tool, state) values ($1, $2)
        on conflict (tool) do update set state = excluded.state`,
      [type, JSON.stringify(state)],
    )
  },
})
