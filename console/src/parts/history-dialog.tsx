import { formatTime } from '../base/format.ts'
import type { RanText, RanTexts } from '../base/ran-texts.ts'
import { useStore } from '../base/store.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import css from './history-dialog.module.css'
import { Mark } from './mark.tsx'
import { Empty } from './states.tsx'

interface HistoryDialogProps {
  readonly ran: RanTexts
  onClose(): void
  onOpen(ran: RanText): void
}

/** The texts that ran; a click opens one as a draft, and runs nothing. */
export function HistoryDialog({ ran, onClose, onOpen }: HistoryDialogProps) {
  const texts = useStore(ran.all)
  return (
    <Dialog
      isOpen
      isWide
      title="History"
      description="The last 100 texts that ran in this browser. One that is opened is a new draft."
      onClose={onClose}
      actions={
        <>
          <Button disabled={texts.length === 0} onClick={() => ran.forgetAll()}>
            Forget all
          </Button>
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {texts.length === 0 && <Empty title="Nothing ran yet">Texts appear here once they have run.</Empty>}
      <ul className={css['history']}>
        {texts.map((each) => (
          <li key={each.text}>
            <button type="button" className={css['entry']} onClick={() => onOpen(each)}>
              <Mark state={each.state}>
                <span />
              </Mark>
              <span>{formatTime(each.at)}</span>
              <code>{each.text.replaceAll(/\s+/g, ' ').slice(0, 200)}</code>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
