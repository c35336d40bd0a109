import { memo, type ReactNode, useMemo } from 'react'
import { partsOf } from '../server/plugin-parts.ts'
import { configQuery, queries } from '../server/queries.ts'
import { Mounted } from './mounted.tsx'

interface PluginCellProps {
  readonly column: { readonly name: string; readonly type: string }
  readonly value: string | null
  /** The cell without a plugin, also where the plugin fails. */
  readonly children: ReactNode
}

/** A cell as the plugin for its type shows it. */
export const PluginCell = memo(({ column: { name, type }, value, children }: PluginCellProps) => {
  // The frame has read the configuration; a grid of many cells does not follow it.
  const part = partsOf(queries.getQueryData(configQuery.queryKey)).cells.find(({ types }) => types.includes(type))
  const context = useMemo(() => ({ column: { name, type }, value }), [name, type, value])
  if (!part || value === null) return children
  return <Mounted part={part} context={context} isInline fallback={children} />
})
