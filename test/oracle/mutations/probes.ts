// Mutations with names that a role may not change, in every place of a name. They must be refused like unknown names.

import type { Draw } from '../draw.ts'
import { callProbe, hiddenNames, type Probe, unknownField } from '../probes.ts'
import { View } from '../view.ts'
import { displayName, type Table, type World } from '../world.ts'
import type { MutationRoot } from './mutation.ts'
import { rootKey, rootName } from './root-names.ts'
import { Writes } from './writes.ts'

type Kind = Exclude<MutationRoot['kind'], 'typename'>

const kinds: readonly Kind[] = ['insert', 'insertOne', 'update', 'updateByKey', 'updateMany', 'delete', 'deleteByKey']

/** Probes for everything that a role may not use: a few for each table. */
export function drawWriteProbes(draw: Draw, world: World, role: string): readonly Probe[] {
  const writes = new Writes(new View(world, role))
  return [
    ...(hasMutations(writes, role)
      ? world.functions.filter((each) => each.root === 'mutation' && !writes.view.mayCall(each))
      : []
    ).map((each) => callProbe(each, role)),
    ...world.tables.flatMap((table) => draw.some(new Prober(writes, table, role).all(), 0.3)),
  ]
}

/** Whether the role has any mutation. */
const hasMutations = (writes: Writes, role: string): boolean =>
  writes.view.functions('mutation').length > 0 ||
  writes.view.world.tables.some((table) => kinds.some((kind) => new Prober(writes, table, role).has(kind)))

class Prober {
  readonly #writes: Writes
  readonly #table: Table
  readonly #role: string
  readonly #type: string

  constructor(writes: Writes, table: Table, role: string) {
    this.#writes = writes
    this.#table = table
    this.#role = role
    this.#type = displayName(table)
  }

  all(): readonly Probe[] {
    return [
      ...kinds.filter((kind) => !this.has(kind)).map((kind) => this.#missingRoot(kind)),
      ...(this.has('insert') ? this.#inserts() : []),
      ...(this.has('update') ? this.#updates() : []),
      ...(this.has('delete') ? this.#conditions() : []),
    ]
  }

  has(kind: Kind): boolean {
    return this.#writes.has(rootKey({ kind } as Exclude<MutationRoot, { kind: 'typename' }>), this.#table)
  }

  #rootName(kind: Kind): string {
    return rootName({ kind, table: this.#table.id } as MutationRoot, this.#writes.view.world)
  }

  #missingRoot(kind: Kind): Probe {
    const name = this.#rootName(kind)
    const query = `mutation { ${name} { __typename } }`
    if (!hasMutations(this.#writes, this.#role))
      return { role: this.#role, query, message: 'no mutations exist', path: '$' }
    return { role: this.#role, query, message: unknownField(name, 'mutation_root'), path: `$.selectionSet.${name}` }
  }

  /** A probe of a root field's arguments. */
  #probe(kind: Kind, args: string, message: string, path: string): Probe {
    const name = this.#rootName(kind)
    const query = `mutation { ${name}(${args}) { __typename } }`
    return { role: this.#role, query, message, path: `$.selectionSet.${name}${path}` }
  }

  #inserts(): readonly Probe[] {
    const type = `${this.#type}_insert_input`
    const open = this.#writes.relationships(this.#table.id)
    const closed = this.#writes.view.world.relationships.filter(
      (relationship) => relationship.table === this.#table.id && !open.includes(relationship),
    )
    const given = (text: string, name: string) =>
      this.#probe('insert', `objects: [{}, {${text}}]`, unknownField(name, type), `.args.objects[1].${name}`)
    const columns = hiddenNames(this.#table, this.#writes.insertable(this.#table.id))
    return [
      ...columns.map((name) => given(`${name}: null`, name)),
      ...closed.map(({ name }) => given(`${name}: {data: {}}`, name)),
      ...(this.#canSelect ? [] : [this.#returning('insert', 'objects: []')]),
      ...this.#conflicts(),
    ]
  }

  get #canSelect(): boolean {
    return this.#writes.view.permission(this.#table.id) !== null
  }

  #returning(kind: Kind, args: string): Probe {
    const name = this.#rootName(kind)
    const query = `mutation { ${name}(${args}) { returning { __typename } } }`
    const message = unknownField('returning', `${this.#type}_mutation_response`)
    return { role: this.#role, query, message, path: `$.selectionSet.${name}.selectionSet.returning` }
  }

  #conflicts(): readonly Probe[] {
    const [constraint] = this.#writes.constraints(this.#table)
    const name = this.#rootName('insert')
    if (!constraint) {
      const message = `"${name}" has no argument named "on_conflict"`
      return [this.#probe('insert', 'objects: [], on_conflict: {}', message, '')]
    }
    const conflict = (members: string) => `objects: [], on_conflict: {constraint: ${constraint.name}, ${members}}`
    const type = `${this.#type}_update_column`
    return hiddenNames(this.#table, this.#writes.updatable(this.#table.id)).map((hidden) => {
      const message = `expected one of the values * for type "${type}", but found "${hidden}"`
      return this.#probe(
        'insert',
        conflict(`update_columns: [${hidden}]`),
        message,
        '.args.on_conflict.update_columns[0]',
      )
    })
  }

  #updates(): readonly Probe[] {
    const hidden = hiddenNames(this.#table, this.#writes.updatable(this.#table.id))
    return [
      ...hidden.map((name) => {
        const message = unknownField(name, `${this.#type}_set_input`)
        return this.#probe('update', `where: {}, _set: {${name}: null}`, message, `.args._set.${name}`)
      }),
      ...(this.#canSelect ? [] : [this.#returning('update', 'where: {}, _set: {}')]),
    ]
  }

  /** Conditions may use only columns that the role may select. */
  #conditions(): readonly Probe[] {
    const { view } = this.#writes
    const type = `${this.#type}_bool_exp`
    const closed = view.world.relationships.filter(
      ({ table, target }) => table === this.#table.id && (!this.#canSelect || view.permission(target) === null),
    )
    const names = [...hiddenNames(this.#table, view.fields(this.#table.id)), ...closed.map(({ name }) => name)]
    return names.map((name) =>
      this.#probe('delete', `where: {${name}: {}}`, unknownField(name, type), `.args.where.${name}`),
    )
  }
}
