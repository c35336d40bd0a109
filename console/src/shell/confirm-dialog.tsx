import { useStore } from '../base/store.ts'
import { Button } from '../parts/button.tsx'
import { DestroyButton } from '../parts/destroy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { question } from './confirm.ts'

/** The question that is asked. */
export function ConfirmDialog() {
  const asked = useStore(question)
  if (!asked) return null
  const Confirm = asked.name === undefined ? Button : DestroyButton
  return (
    <Dialog
      isOpen
      title={asked.title}
      description={asked.text}
      onClose={() => asked.answer(false)}
      actions={
        <>
          <Button onClick={() => asked.answer(false)}>Cancel</Button>
          <Confirm look="danger" name={asked.name ?? ''} onClick={() => asked.answer(true)}>
            {asked.action}
          </Confirm>
        </>
      }
    />
  )
}
