import { plural } from '../../../base/format.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { Touched } from '../../../parts/touched.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import type { Metadata } from '../../../server/queries.ts'
import type { Collection } from './collections-model.ts'

interface DropProps {
  readonly collection: Collection
  readonly metadata: Metadata
  onClose(): void
}

/** Removes a collection: all that goes with it is shown first. */
export function DropCollectionDialog({ collection: { name, definition }, metadata, onClose }: DropProps) {
  const { isBusy, error, save } = useEdit()
  const operations = [{ type: 'drop_query_collection', args: { collection: name, cascade: true } }]
  const drop = async () => {
    if (await save({ title: `Remove ${name}`, base: metadata, operations, done: `Removed ${name}` })) onClose()
  }
  return (
    <FormDialog
      title={`Remove ${name}`}
      description={`It has ${plural(definition.queries.length, 'query', 'queries')}, and leaves the allow-list.`}
      onClose={onClose}
      submit="Remove collection"
      destroys={name}
      isBusy={isBusy}
      onSubmit={drop}
      error={error}
    >
      <Touched operations={operations} />
    </FormDialog>
  )
}
