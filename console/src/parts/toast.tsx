import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { Button, IconButton } from './button.tsx'
import css from './toast.module.css'

const manager = Toast.createToastManager()

interface ToastOptions {
  /** A way back, while the toast is shown. */
  readonly undo?: () => void
}

/** Confirms something that was done. An error is shown where it happened instead. */
export const toast = (title: string, { undo }: ToastOptions = {}): void => {
  manager.add({ title, timeout: undo ? 10_000 : 5000, data: { undo } })
}

function Toasts() {
  const { toasts, close } = Toast.useToastManager<{ undo?: () => void }>()
  return toasts.map((each) => (
    <Toast.Root key={each.id} toast={each} className={css['toast']}>
      <Toast.Content className={css['content']}>
        <Toast.Title className={css['title']} />
        {each.data?.undo && (
          <Button
            look="quiet"
            onClick={() => {
              each.data?.undo?.()
              close(each.id)
            }}
          >
            Undo
          </Button>
        )}
        <Toast.Close render={<IconButton label="Dismiss" icon={<X aria-hidden />} />} />
      </Toast.Content>
    </Toast.Root>
  ))
}

/** The place of toasts, which screen readers announce. */
export const ToastArea = () => (
  <Toast.Provider toastManager={manager}>
    <Toast.Portal>
      <Toast.Viewport className={css['area']}>
        <Toasts />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)
