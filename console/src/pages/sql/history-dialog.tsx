import { formatClock } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Empty } from '../../parts/states.tsx'
import { history } from './history.ts'
import css from './sql.module.css'

/** The texts that ran; a click opens one as a draft, and runs nothing. */
export function HistoryDialog({ onClose, onOpen }: { onClose(): void; onOpen(text: string): void }) {
  const texts = useStore(history)
  return (
    <Dialog
      isOpen
      isWide
      title="History"
      description="The last 100 texts that ran in this browser. One that is opened is a new draft."
      onClose={onClose}
      actions={
        <>
          <Button disabled={texts.length === 0} onClick={() => history.set([])}>
            Forget all
          </Button>
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {texts.length === 0 && <Empty title="Nothing ran yet">Texts appear here once they have run.</Empty>}
      <ul className={css['history']}>
        {texts.map(({ text, at, state }) => (
          <li key={text}>
            <button type="button" className={css['entry']} onClick={() => onOpen(text)}>
              <Mark state={state}>
                <span />
              </Mark>
              <span>{formatClock(at)}</span>
              <code>{text.replaceAll(/\s+/g, ' ').slice(0, 200)}</code>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
