// The statement that answers root fields: one row, one column, the finished JSON.

import { compile, empty, type Sql, type Statement, sql } from '../../database/sql/sql.ts'
import type { RootOutput } from '../plan/plan.ts'
import { Printer, type PrinterOptions } from '../printer.ts'
import { aggregateSql } from './aggregate-sql.ts'
import { concat } from './json-sql.ts'
import { type Envelope, manyQuery, noEnvelope, rowQuery } from './select-sql.ts'

export interface RootEntry {
  readonly key: string
  readonly output: RootOutput
  /** The member that holds it, together with the neighbours of the same name. Absent: it stands at the top. */
  readonly within?: string
}

/** A statement, and the answer if it yields no row. */
export interface RootStatement extends Statement {
  readonly whenEmpty: string
}

/** The query that is such a statement. */
export interface RootQuery {
  readonly query: Sql
  readonly whenEmpty: string
}

/** A statement answering `prefix"a":…,"b":…suffix`. */
export function rootStatement(
  entries: readonly RootEntry[],
  envelope: Envelope,
  options: PrinterOptions,
): RootStatement {
  const { query, whenEmpty } = rootQuery(entries, envelope, options)
  return { ...compile(query), whenEmpty }
}

/** The same before it is printed, for those who take its parameters from elsewhere. */
export function rootQuery(
  entries: readonly RootEntry[],
  { prefix, suffix }: Envelope,
  options: PrinterOptions,
): RootQuery {
  const printer = new Printer(options)
  const [first, ...others] = entries
  if (first && others.length === 0) {
    const around = inMember(first.within, { prefix, suffix })
    const key = `${around.prefix}${JSON.stringify(first.key)}:`
    const query = soleQuery(first.output, printer, { prefix: key, suffix: around.suffix })
    return { query: printer.finished(query), whenEmpty: `${key}null${around.suffix}` }
  }
  const pieces: (string | Sql)[] = [prefix]
  for (const [i, { key, output, within }] of entries.entries()) {
    const member = inMember(within, noEnvelope)
    const isFirst = i === 0 || entries[i - 1]!.within !== within
    const isLast = i === entries.length - 1 || entries[i + 1]!.within !== within
    pieces.push(`${i > 0 ? ',' : ''}${isFirst ? member.prefix : ''}${JSON.stringify(key)}:`)
    pieces.push(output.kind === 'json' ? output.text : nestedQuery(output, printer))
    if (isLast && member.suffix !== '') pieces.push(member.suffix)
  }
  pieces.push(suffix)
  return { query: printer.finished(sql`select ${concat(pieces)}`), whenEmpty: `${prefix}${suffix}` }
}

/** The envelope of the content of a member, or of the whole answer. */
export const inMember = (member: string | undefined, { prefix, suffix }: Envelope): Envelope =>
  member === undefined ? { prefix, suffix } : { prefix: `${prefix}${JSON.stringify(member)}:{`, suffix: `}${suffix}` }

/** One root field alone: the envelope is part of its own query, which then needs no query around it. */
function soleQuery(output: RootOutput, printer: Printer, envelope: Envelope): Sql {
  switch (output.kind) {
    case 'many':
      return manyQuery(output.select, null, printer, envelope)
    case 'one':
      return rowQuery(output.select, null, printer, { envelope, single: true, fence: atMostOne(output) })
    case 'aggregate':
      return aggregateSql(output.select, null, printer, envelope)
    case 'json':
      return sql`select ${concat([envelope.prefix + output.text + envelope.suffix])}`
    case 'sql':
      return sql`select ${concat([envelope.prefix, output.build(printer.alias(), printer), envelope.suffix])}`
    default:
      return output satisfies never
  }
}

const atMostOne = ({ unique }: { readonly unique: boolean }): Sql => (unique ? empty : sql` limit 1`)

/** One root field among several. */
function nestedQuery(output: Exclude<RootOutput, { kind: 'json' }>, printer: Printer): Sql {
  switch (output.kind) {
    case 'many':
      return sql`(${manyQuery(output.select, null, printer)})`
    case 'one':
      return sql`coalesce((${rowQuery(output.select, null, printer, { fence: atMostOne(output) })}), 'null')`
    case 'aggregate':
      return sql`(${aggregateSql(output.select, null, printer)})`
    case 'sql':
      return sql`(${output.build(printer.alias(), printer)})`
    default:
      return output satisfies never
  }
}
