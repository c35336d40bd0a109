// Presets: columns whose value a permission sets.

import { nameText, sessionVariableName } from '../../sdk/index.ts'
import type { PresetValue, TableModel } from '../../sdk/metadata.ts'
import { requireColumn } from './columns.ts'
import { columnCodec } from './comparisons.ts'
import type { ExpressionContext } from './expression-context.ts'

/** The values that a permission sets, by column; throws if a column or literal is wrong. */
export function resolvePresets(
  presets: Readonly<Record<string, unknown>>,
  table: TableModel,
  context: ExpressionContext,
): ReadonlyMap<string, PresetValue> {
  const resolved = new Map<string, PresetValue>()
  for (const [name, value] of Object.entries(presets)) resolved.set(name, resolvePreset(name, value, table, context))
  return resolved
}

function resolvePreset(name: string, value: unknown, table: TableModel, context: ExpressionContext): PresetValue {
  const hint = `column "${name}" not found in table "${nameText(table.name)}"`
  const column = requireColumn(table, name, { missing: `column "${name}" does not exist`, hint })
  const variable = typeof value === 'string' ? sessionVariableName(context.dialect, value) : null
  const reason = variable === null ? 'on_type' : 'session_variable'
  context.depend({ kind: 'column', table: table.name, name }, reason)
  if (variable !== null) return { kind: 'session', variable }
  return { kind: 'literal', text: value === null ? null : columnCodec(column, column.type, context).encode(value) }
}
