import { FormDialog } from '../../../parts/form-dialog.tsx'
import { Touched } from '../../../parts/touched.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { type TableName, tableLabel } from '../../../server/names.ts'
import { entryOf, type Metadata, rolesOn, type TableEntry } from '../../../server/queries.ts'

interface RemoveDialogProps {
  readonly table: TableName
  readonly entry: TableEntry
  readonly name: string
  readonly isRemote: boolean
  readonly base: Metadata
  onClose(): void
}

/** Removes a relationship, and lists first all that goes with it. */
export function RemoveDialog({ table, entry, name, isRemote, base, onClose }: RemoveDialogProps) {
  const { isBusy, error, save } = useEdit()
  const operations = isRemote
    ? [{ type: 'delete_remote_relationship', args: { table, name } }]
    : [{ type: 'drop_relationship', args: { table, relationship: name, cascade: true } }]
  const remove = async () => {
    const title = `Remove ${name} of ${tableLabel(table)}`
    if (await save({ title, part: (now) => entryOf(now, table), base, operations, done: `Removed ${name}` })) onClose()
  }
  return (
    <FormDialog
      isWide
      title={`Remove ${name} of ${tableLabel(table)}`}
      description="Rows and foreign keys stay. Permissions whose rules use it are removed, too."
      onClose={onClose}
      submit={`Remove ${name}`}
      destroys={name}
      isBusy={isBusy}
      onSubmit={remove}
      error={error}
    >
      <Touched operations={operations} roles={rolesOn(entry)} />
    </FormDialog>
  )
}
