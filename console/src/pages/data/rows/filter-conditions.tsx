import { useState } from 'react'
import { FormDialog } from '../../../parts/form-dialog.tsx'
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
    <FormDialog
      isWide
      title="Filter by conditions"
      onClose={onClose}
      submit="Show these rows"
      onSubmit={() => {
        onApply(value)
        onClose()
      }}
    >
      <RuleBuilder label="Filter" table={info.name} value={value} canEdit onChange={setValue} />
    </FormDialog>
  )
}
