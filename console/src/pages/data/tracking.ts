// Tracking and untracking tables, each as one request that can be undone.

import { useState } from 'react'
import { plural } from '../../base/format.ts'
import { toast } from '../../parts/toast.tsx'
import { asFailure } from '../../requests/failure.ts'
import { edit, undo } from '../../server/edits.ts'
import type { TableName } from '../../server/names.ts'
import type { Operation } from '../../server/operations.ts'
import { seenMetadata } from '../../server/queries.ts'

interface Warning {
  readonly name: string
  readonly message: string
}

interface Question {
  readonly tables: readonly TableName[]
  /** Which objects would go, by table. */
  readonly reasons: readonly Warning[]
}

interface Tracking {
  readonly isBusy: boolean
  readonly error: unknown
  /** The tables that the server passed over, with its reasons. */
  readonly warnings: readonly Warning[]
  /** Tables that others need, which nothing was done to yet; null: there is no question. */
  readonly question: Question | null
  /** Untracks the tables of the question with all that needs them, or drops it. */
  answer(isYes: boolean): void
  track(tables: readonly TableName[], hasRelationships: boolean): void
  untrack(tables: readonly TableName[]): void
}

const named = (tables: readonly TableName[]): TableName[] => tables.map(({ schema, name }) => ({ schema, name }))

/** The codes of refusals that list warnings: of some tables, and of all. */
const warned: readonly unknown[] = ['metadata-warnings', 'invalid-configuration']

/** The warnings of a refusal because of objects that need the tables. */
function dependents(error: unknown): readonly Warning[] {
  const { code, internal } = asFailure(error).facts
  return warned.includes(code) && Array.isArray(internal) ? (internal as Warning[]) : []
}

/** How many relationships a result names. */
const relationshipsOf = (result: unknown): number =>
  (result as { readonly relationships?: readonly unknown[] } | null)?.relationships?.length ?? 0

/** Tracks and untracks tables; `onDone` follows a success. */
export function useTracking(onDone: () => void): Tracking {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [warnings, setWarnings] = useState<readonly Warning[]>([])
  const [question, setQuestion] = useState<Question | null>(null)
  const save = async (title: string, confirmation: string, operations: readonly Operation[]) => {
    setBusy(true)
    setError(null)
    try {
      const base = await seenMetadata()
      const results = await edit({ title, operations, base })
      if (results === null) return
      setWarnings(results.flatMap((result) => (result as { warnings?: readonly Warning[] }).warnings ?? []))
      const created = results.reduce<number>((sum, result) => sum + relationshipsOf(result), 0)
      const more = created > 0 ? ` and ${plural(created, 'relationship')}` : ''
      toast(confirmation + more, { undo: () => void undo(base).catch(setError) })
      onDone()
    } finally {
      setBusy(false)
    }
  }
  const untrack = async (tables: readonly TableName[], hasCascade: boolean) => {
    const count = plural(tables.length, 'table')
    const given = named(tables).map((table) => (hasCascade ? { table, cascade: true } : table))
    const args = { tables: given, allow_warnings: false }
    try {
      await save(`Untrack ${count}`, `Untracked ${count}`, [{ type: 'pg_untrack_tables', args }])
    } catch (failure) {
      const reasons = dependents(failure)
      if (reasons.length > 0 && !hasCascade) setQuestion({ tables, reasons })
      else setError(failure)
    }
  }
  return {
    ...{ isBusy, error, warnings, question },
    answer(isYes) {
      if (isYes && question) void untrack(question.tables, true)
      setQuestion(null)
    },
    track(tables, hasRelationships) {
      const count = plural(tables.length, 'table')
      const operations = [
        { type: 'pg_track_tables', args: { tables: named(tables) } },
        ...(hasRelationships ? [{ type: 'suggest_relationships', args: { apply: true } }] : []),
      ]
      void save(`Track ${count}`, `Tracked ${count}`, operations).catch(setError)
    },
    untrack: (tables) => void untrack(tables, false),
  }
}
