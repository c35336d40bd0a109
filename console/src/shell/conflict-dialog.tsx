import { useStore } from '../base/store.ts'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { conflict } from '../server/edits.ts'
import css from './dialogs.module.css'

const shown = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'nothing'

/** Somebody else edited the same part: base, theirs and mine, and the choice. */
export function ConflictDialog() {
  const open = useStore(conflict)
  return (
    <Dialog
      isOpen={open !== null}
      isWide
      title="Somebody else edited this meanwhile"
      description={open && `${open.title}: nothing of yours has been saved yet.`}
      onClose={() => open?.decide(false)}
      actions={
        <>
          <Button onClick={() => open?.decide(false)}>Keep theirs</Button>
          <Button look="main" onClick={() => open?.decide(true)}>
            Save mine on top
          </Button>
        </>
      }
    >
      {open && (
        <div className={css['three']}>
          <Version title="Base" value={open.base} />
          <Version title="Theirs" value={open.theirs} />
          <Version title="Mine" value={open.mine} />
        </div>
      )}
    </Dialog>
  )
}

const Version = ({ title, value }: { readonly title: string; readonly value: unknown }) => (
  <section className={css['version']}>
    <h3>{title}</h3>
    <Code label={title} language="json" value={shown(value)} />
  </section>
)
