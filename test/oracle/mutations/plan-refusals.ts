// Mutations that are refused before anything runs.

import { isIncluded } from '../answer.ts'
import { nativeScalars } from '../probes.ts'
import { datumOf, type Run } from '../request.ts'
import { columnTypes } from '../types.ts'
import { View } from '../view.ts'
import { columnOf, fieldName, Invalid, relationshipOf, tableOf, type World } from '../world.ts'
import {
  type Change,
  type GivenValue,
  type InsertRow,
  type Mutation,
  type MutationRoot,
  type RootOf,
  updateOperators,
} from './mutation.ts'
import type { Refusal } from './refusal.ts'
import { rootKey, rootName } from './root-names.ts'
import { Writes } from './writes.ts'

/** The possible errors; one of them is reported. */
export function planRefusals({ role, roots }: Mutation, world: World, run: Run): readonly Refusal[] {
  const planner = new Planner(new Writes(new View(world, role)), run)
  return roots.filter(({ directives }) => isIncluded(directives, run)).flatMap((root) => planner.root(root))
}

const refusal = (message: string, path: string): Refusal => ({ code: 'validation-failed', message, path })

/** In the order in which messages list operators. */
const inOrder = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((a, b) => updateOperators.indexOf(a.operator) - updateOperators.indexOf(b.operator))

class Planner {
  readonly #writes: Writes
  readonly #world: World
  readonly #run: Run

  constructor(writes: Writes, run: Run) {
    this.#writes = writes
    this.#world = writes.view.world
    this.#run = run
  }

  root(root: MutationRoot): readonly Refusal[] {
    if (root.kind === 'typename') return []
    const table = tableOf(this.#world, root.table)
    if (!this.#writes.has(rootKey(root), table)) throw new Invalid(`no ${root.kind} of ${table.name}`)
    const path = `$.selectionSet.${rootName(root, this.#world)}.args`
    switch (root.kind) {
      case 'insert': {
        const rows = root.lift && this.#run === 1 ? root.lift.second : root.rows
        return this.#rows(rows, `${path}.objects`, [])
      }
      case 'insertOne': {
        const place = `${path}.object`
        return [...this.#nulls(root.row, place), ...this.#structure([root.row], place, [])]
      }
      case 'update':
      case 'updateByKey':
        return this.#update(root, path)
      case 'updateMany':
        return root.updates.flatMap(({ changes }, i) => {
          return this.#update({ table: root.table, changes }, `${path}.updates[${i}]`)
        })
      default:
        return []
    }
  }

  #rows(rows: readonly InsertRow[], path: string, determined: readonly string[]): readonly Refusal[] {
    return [...rows.flatMap((row, i) => this.#nulls(row, `${path}[${i}]`)), ...this.#structure(rows, path, determined)]
  }

  /** Nulls where GraphQL's own types do not allow them. */
  #nulls({ values, nested }: InsertRow, path: string): readonly Refusal[] {
    return [
      ...values.flatMap((value) => this.#null(value, path)),
      ...nested.flatMap(({ relationship, rows }) => {
        const { name, type } = relationshipOf(this.#world, relationship)
        const place = `${path}.${name}.data`
        return (rows ?? []).flatMap((row, i) => this.#nulls(row, type === 'object' ? place : `${place}[${i}]`))
      }),
    ]
  }

  #null({ column: id, leaf }: GivenValue, path: string): readonly Refusal[] {
    const column = columnOf(this.#world, id)
    const { scalar, kind } = columnTypes[column.type]
    const what = kind === 'enum' ? 'an enum value' : nativeScalars[scalar]
    if (what === undefined || column.nullable || datumOf(leaf, this.#run) !== null) return []
    return [refusal(`expected ${what} for type "${scalar}", but found null`, `${path}.${fieldName(column)}`)]
  }

  /** Columns that receive values from two sides. */
  #structure(rows: readonly InsertRow[], path: string, determined: readonly string[]): readonly Refusal[] {
    return rows.flatMap((row, i) => this.#rowStructure(row, `${path}[${i}]`, determined))
  }

  #rowStructure({ values, nested }: InsertRow, path: string, determined: readonly string[]): readonly Refusal[] {
    const given = values.map(({ column }) => column)
    const fixed = new Set(determined)
    const refusals: Refusal[] = []
    const twice = determined.filter((column) => given.includes(column))
    if (twice.length > 0)
      refusals.push(
        refusal(
          `cannot insert ${this.#names(twice)} columns as their values are already being determined by parent insert`,
          path,
        ),
      )
    for (const { relationship: id, rows } of nested) {
      const { name, type, mapping, after } = relationshipOf(this.#world, id)
      if (type === 'object' && rows?.length !== 1) throw new Invalid('an object is one row')
      if (rows === null || rows.length === 0) continue
      const place = `${path}.${name}`
      if (after) {
        const theirs = mapping.map(([, column]) => column)
        const found =
          type === 'array'
            ? this.#structure(rows, `${place}.data`, theirs)
            : this.#rowStructure(rows[0]!, `${place}.data`, theirs)
        refusals.push(...found)
        continue
      }
      const clash = mapping.map(([own]) => own).filter((own) => given.includes(own) || fixed.has(own))
      for (const [own] of mapping) fixed.add(own)
      if (clash.length > 0)
        refusals.push(
          refusal(
            `cannot insert object relation ship "${name}" as ${this.#names(clash)} column values are already determined`,
            place,
          ),
        )
      refusals.push(...this.#rowStructure(rows[0]!, `${place}.data`, []))
    }
    return refusals
  }

  #names(columns: readonly string[]): string {
    return columns.map((column) => `"${columnOf(this.#world, column).name}"`).join(', ')
  }

  #update({ table, changes }: Pick<RootOf<'update'>, 'table' | 'changes'>, path: string): readonly Refusal[] {
    const nulls = changes
      .filter(({ operator }) => operator === '_set' || operator === '_inc')
      .flatMap(({ operator, values }) => values.flatMap((value) => this.#null(value, `${path}.${operator}`)))
    const operators = new Map<string, string[]>()
    for (const { operator, values } of inOrder(changes)) {
      for (const { column } of values) operators.set(column, [...(operators.get(column) ?? []), operator])
    }
    const repeated = [...operators]
      .filter(([, names]) => names.length > 1)
      .map(([column, names]) => `"${columnOf(this.#world, column).name}" in ${names.join(', ')}`)
    const presets = this.#writes.update(table)!.presets
    const isEmpty = changes.length === 0 && presets.length === 0
    return [
      ...nulls,
      ...(repeated.length > 0
        ? [refusal(`column found in multiple operators; ${repeated.sort().join('. ')}`, path)]
        : []),
      ...(isEmpty ? [refusal(`at least any one of ${this.#available(table)} is expected`, path)] : []),
    ]
  }

  /** The operators that the role has, in the order of messages. */
  #available(table: string): string {
    const columns = this.#writes.updatable(table)
    const isNumeric = columns.some(({ type }) => columnTypes[type].arithmetic !== undefined)
    const isJson = columns.some(({ type }) => type === 'jsonb')
    const has = (operator: string) => operator === '_set' || (operator === '_inc' ? isNumeric : isJson)
    return updateOperators.filter(has).join(', ')
  }
}
