import { type ComponentProps, useState } from 'react'
import { useIsProduction } from '../server/queries.ts'
import { Button } from './button.tsx'
import css from './destroy-button.module.css'
import { Field } from './field.tsx'

interface DestroyButtonProps extends ComponentProps<typeof Button> {
  /** The name of the thing that goes; of several things, their number. */
  readonly name: string
}

/** A button that destroys something. In production the name of the thing is typed first. */
export function DestroyButton({ name, look = 'danger', disabled, ...props }: DestroyButtonProps) {
  const isProduction = useIsProduction()
  const [typed, setTyped] = useState('')
  if (!isProduction) return <Button {...props} look={look} disabled={disabled} />
  return (
    <>
      <div className={css['typed']}>
        <Field
          label={`This is production. Type ${name} to go on`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      <Button {...props} look={look} disabled={disabled || typed.trim() !== name} />
    </>
  )
}
