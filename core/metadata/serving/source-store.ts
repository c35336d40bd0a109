// Contents of sources in PostgreSQL: one row each, next to the document that needs them.

import type { Row, Transaction } from '../../database/transaction.ts'
import { deepFreeze, parseJson } from '../../json/json.ts'
import type { MetadataRegistry } from '../slices/registry.ts'
import { type SourceContent, sharedContent } from '../slices/sources.ts'

interface RevisionRow extends Row {
  readonly source: string
  readonly id: string
  /** Differs after each write of the row. */
  readonly revision: string
}

type Contents = ReadonlyMap<string, SourceContent>

const placeOfRow = ({ source, id }: Pick<RevisionRow, 'source' | 'id'>): string => `${source}\u0000${id}`

const rowOfPlace = (place: string): readonly [source: string, id: string] => {
  const [source = '', id = ''] = place.split('\u0000')
  return [source, id]
}

export class SourceStore {
  readonly #registry: MetadataRegistry
  #revisions: ReadonlyMap<string, string> = new Map()

  constructor(registry: MetadataRegistry) {
    this.#registry = registry
  }

  /** Reads rows that changed since `previous` was read; returns `previous` itself if none did. */
  async load(transaction: Transaction, previous: Contents): Promise<Contents> {
    const keys = [...this.#registry.sources.keys()]
    if (keys.length === 0) return previous
    const present = await transaction.rows<RevisionRow>(
      `select source, id, xmin::text || ctid::text as revision from trellis.metadata_source where source = any($1)`,
      [keys],
    )
    const contents = new Map<string, SourceContent>()
    for (const row of present) {
      const place = placeOfRow(row)
      const known = this.#revisions.get(place) === row.revision ? previous.get(place) : undefined
      const content = known ?? sharedContent(previous.get(place), await read(transaction, row))
      contents.set(place, content)
    }
    this.#revisions = new Map(present.map((row) => [placeOfRow(row), row.revision]))
    const isSame = contents.size === previous.size && [...contents].every(([key, each]) => previous.get(key) === each)
    return isSame ? previous : contents
  }

  /** Writes the difference. */
  async save(transaction: Transaction, previous: Contents, next: Contents): Promise<void> {
    for (const place of previous.keys()) {
      if (next.has(place)) continue
      await transaction.rows('delete from trellis.metadata_source where source = $1 and id = $2', rowOfPlace(place))
    }
    for (const [place, content] of next) {
      if (previous.get(place) === content || content.state.kind !== 'value') continue
      const { digest, state } = content
      await transaction.rows(
        `insert into trellis.metadata_source (source, id, digest, value) values ($1, $2, $3, $4::json)
          on conflict (source, id) do update set digest = excluded.digest, value = excluded.value`,
        [...rowOfPlace(place), digest, JSON.stringify(state.value)],
      )
    }
  }
}

async function read(transaction: Transaction, { source, id }: RevisionRow): Promise<SourceContent> {
  const [row] = await transaction.rows<{ digest: string; json: string }>(
    'select digest, value::text as json from trellis.metadata_source where source = $1 and id = $2',
    [source, id],
  )
  return deepFreeze({
    digest: row!.digest,
    state: { kind: 'value', value: parseJson(row!.json, 'precise'), trouble: null },
  })
}
