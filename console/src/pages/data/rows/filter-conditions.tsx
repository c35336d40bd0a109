import { useState } from 'react'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { RuleBuilder } from '../rules/rule-builder.tsx'
import type { TableInfo } from '../table-info.ts'
import type { Condition } from './filter.ts'

interface FilterConditionsProps {
  readonly info: TableInfo
  /** Null: all rows. */
  readonly filter: Condition | null
  onApply(filter: Condition): void
  onClose(): void
}

/** The filter as conditions, with the operators of each type and through relationships. */
export default function FilterConditions({ info, filter, onApply, onClose }: FilterConditionsProps) {
  const [value, setValue] = useState<Condition>(filter ?? {})
  return (
    <Dialog
      isOpen
      isWide
      title="Filter by conditions"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="main"
            onClick={() => {
              onApply(value)
              onClose()
            }}
          >
            Show these rows
          </Button>
        </>
      }
    >
      <RuleBuilder label="Filter" table={info.name} value={value} canEdit onChange={setValue} />
    </Dialog>
  )
}
