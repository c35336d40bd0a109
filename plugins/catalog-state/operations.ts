// Reading and replacing the stored states of tools.

import { badRequest, TrellisError, Type } from '../../sdk/index.ts'
import { NoArguments, operation } from '../../sdk/metadata.ts'
import { parseJson } from '../../sdk/services.ts'
import { largestState } from './tuning.ts'

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

/** A version of a state: equal states have equal versions. */
const versionOf = (state: string) => `pg_catalog.md5(${state}::text)`

const Versioned = Type.Object({ state: Type.Unknown(), version: Type.Union([Type.String(), Type.Null()]) })

/** Version 2 tells the version of each state; null: nothing is stored. */
export const getCatalogStateV2 = operation({
  type: 'get_catalog_state',
  version: 2,
  about: {
    summary: 'Returns the states that tools have stored, with their versions.',
    result: Type.Object({ id: Type.String(), cli: Versioned, console: Versioned }),
  },
  args: NoArguments,
  editsMetadata: false,
  onlyReads: true,
  async handle({ transaction }) {
    const [metadata] = await transaction.rows<{ id: string }>('select id from trellis.metadata')
    const rows = await transaction.rows<{ tool: string; state: string; version: string }>(
      `select tool, state::text as state, ${versionOf('state')} as version from trellis.catalog_state`,
    )
    const states = new Map(
      rows.map(({ tool, state, version }) => [tool, { state: parseJson(state, 'precise'), version }]),
    )
    const members = tools.map((tool) => [tool, states.get(tool) ?? { state: {}, version: null }])
    return { id: metadata?.id, ...Object.fromEntries(members) }
  },
})

const SetCatalogStateArgs = Type.Object({
  type: Type.Union(tools.map((tool) => Type.Literal(tool))),
  state: Type.Unknown(),
  /** The version that the new state was made from; null: nothing was stored. Absent: any. */
  version: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})

/** Replaces the state of one tool. */
export const setCatalogState = operation({
  type: 'set_catalog_state',
  about: { summary: 'Replaces the state of a tool, if it has the expected version.' },
  args: SetCatalogStateArgs,
  editsMetadata: false,
  async handle({ transaction }, { type, state, version }) {
    const text = JSON.stringify(state)
    if (Buffer.byteLength(text) > largestState) {
      throw badRequest('not-supported', `a state has at most ${largestState} bytes`, { path: ['state'] })
    }
    if (typeof version === 'string') {
      const changed = await transaction.rows(
        `update trellis.catalog_state as stored set state = $2 where tool = $1 and ${versionOf('stored.state')} = $3
         returning tool`,
        [type, text, version.replaceAll('\0', '')],
      )
      if (changed.length === 0) throw hasChanged(type)
      return
    }
    const stored = await transaction.rows(
      `insert into trellis.catalog_state (tool, state) values ($1, $2)
        on conflict (tool) do ${version === null ? 'nothing' : 'update set state = excluded.state'} returning tool`,
      [type, text],
    )
    if (stored.length === 0) throw hasChanged(type)
  },
})

const hasChanged = (tool: string) =>
  new TrellisError(409, 'conflict', `the state of "${tool}" has another version: read it again`)
