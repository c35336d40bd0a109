// Each key of a document as honoured, approximated or refused.

import { isJsonObject } from '../../core/json/json.ts'
import type { Json } from '../project/parts.ts'
import { type Path, pathInDocument } from '../project/places.ts'
import { problemsOf } from '../target/answers.ts'
import type { Given } from './given.ts'

/** A line of the report about a key or an object. */
export interface Finding {
  readonly verdict: 'approximated' | 'refused' | 'inconsistent'
  /** Null if the server does not say where. */
  readonly place: string | null
  readonly reason: string
  readonly advice: string
}

/** A kind of key that is served, with the number of its values. */
export interface Honoured {
  readonly key: string
  readonly count: number
}

/** The report about a document. */
export interface Report {
  readonly honoured: readonly Honoured[]
  readonly findings: readonly Finding[]
}

const advices = {
  refused: 'remove the key, or replace it by one of the page "Dialects"',
  approximated: 'it is kept or ignored: check that nothing depends on it',
  inconsistent: 'it is kept, and served once its cause is gone: apply the migrations first, or correct the name',
} as const

/** Builds the report from the answer to a dry run. */
export function reportOf(given: Given, { status, body }: { readonly status: number; readonly body: unknown }): Report {
  const answer = isJsonObject(body) ? body : {}
  const internal = Array.isArray(answer['internal']) ? answer['internal'].filter(isJsonObject) : []
  const faults = internal.filter((each) => typeof each['error'] === 'string')
  const refused = status === 200 ? [] : faults.length > 0 ? faults : [answer]
  const unfit =
    status === 200 ? answer['inconsistent_objects'] : internal.filter((each) => each['reason'] !== undefined)
  const paths = refused.map(({ path }) => pathInDocument(path))
  return {
    honoured: honouredIn(given.document, paths),
    findings: [
      ...refused.map((each, at) => finding('refused', String(each['error']), given.place(paths[at]!))),
      ...problemsOf(unfit).map((reason) => finding('inconsistent', reason)),
      ...problemsOf(answer['passed_over']).map((reason) => finding('approximated', reason)),
    ],
  }
}

const finding = (verdict: Finding['verdict'], reason: string, place: string | null = null): Finding => ({
  ...{ verdict, place, reason },
  advice: advices[verdict],
})

/** The kinds of keys whose values are not refused; `[]` stands for any item. */
function honouredIn(document: Json, refused: readonly Path[]): readonly Honoured[] {
  const counts = new Map<string, number>()
  const isRefused = (path: Path) =>
    refused.some(
      (each) => each.length > 0 && each.length === path.length && each.every((key, at) => key === String(path[at])),
    )
  const walk = (value: unknown, path: Path, kind: string): void => {
    if (isRefused(path)) return
    if (Array.isArray(value)) for (const [at, item] of value.entries()) walk(item, [...path, at], `${kind}[]`)
    else if (isJsonObject(value) && !isExpression(kind)) {
      for (const [key, member] of Object.entries(value)) {
        const inner = kind === '' ? key : `${kind}.${key}`
        if (!isRefused([...path, key])) counts.set(inner, (counts.get(inner) ?? 0) + 1)
        walk(member, [...path, key], inner)
      }
    }
  }
  walk(document, [], '')
  return [...counts].map(([key, count]) => ({ key, count }))
}

/** Conditions and values have keys of the project's own. */
const isExpression = (kind: string): boolean =>
  /\.(filter|check|set|configuration|column_mapping|column_config|custom_column_names)$/.test(kind)

/** The report as text. */
export function textOf({ honoured, findings }: Report): string {
  const lines = findings.map(({ verdict, place, reason, advice }) => {
    return `${verdict.padEnd(12)} ${place === null ? '' : `${place}: `}${reason}\n${' '.repeat(13)}${advice}\n`
  })
  const served = honoured.map(({ key, count }) => `honoured     ${key} (${count})\n`)
  return [...lines, ...served].join('')
}
