import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import type { PluginAction } from '../server/config-parts.ts'
import { useParts } from '../server/plugin-parts.ts'
import { Mounted } from './mounted.tsx'
import type { PartContext } from './services.ts'

interface ColumnActionsProps extends Required<Pick<PartContext, 'table' | 'column' | 'value' | 'row'>> {}

/** The actions that plugins have for cells of a type. Each opens over the page. */
export function ColumnActions(context: ColumnActionsProps) {
  const actions = useParts().column_actions.filter(({ types }) => types.includes(context.column.type))
  const [opened, setOpened] = useState<PluginAction | null>(null)
  return (
    <>
      {actions.map((action) => (
        <Button key={`${action.plugin}.${action.id}`} onClick={() => setOpened(action)}>
          {action.title}
        </Button>
      ))}
      {opened && (
        <Dialog isOpen isWide title={opened.title} onClose={() => setOpened(null)}>
          <Mounted part={opened} context={context} />
        </Dialog>
      )}
    </>
  )
}
