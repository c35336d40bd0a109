import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { DestroyButton } from '../../parts/destroy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
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
  <Dialog
    isOpen
    isWide
    title={`Run SQL that destroys ${name}`}
    description="Nothing has been changed yet."
    onClose={onClose}
    actions={
      <>
        <Button onClick={onClose}>Cancel</Button>
        <DestroyButton name={name} onClick={onRun}>
          Run this SQL
        </DestroyButton>
      </>
    }
  >
    <Code label="SQL that runs" language="sql" value={run.text} />
  </Dialog>
)
