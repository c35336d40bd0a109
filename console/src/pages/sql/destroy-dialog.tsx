import { Code } from '../../parts/code.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import type { Run } from './running.ts'

interface DestroyDialogProps {
  /** The first thing that goes. */
  readonly name: string
  readonly run: Run
  onRun(): void
  onClose(): void
}

/** Asks before a statement of production drops or deletes something. */
export const DestroyDialog = ({ name, run, onRun, onClose }: DestroyDialogProps) => (
  <FormDialog
    isWide
    title={`Run SQL that destroys ${name}`}
    description="Nothing has been changed yet."
    onClose={onClose}
    submit="Run this SQL"
    destroys={name}
    onSubmit={onRun}
  >
    <Code label="SQL that runs" language="sql" value={run.text} />
  </FormDialog>
)
