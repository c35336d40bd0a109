import { CornerDownRight, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Field } from '../../../parts/field.tsx'
import { Pop } from '../../../parts/pop.tsx'
import css from './rows.module.css'

interface JumpProps {
  /** The column of the order, with a minus sign where the largest values come first. */
  readonly column: string
  /** The value from which rows are shown; empty: from the first one. */
  readonly from: string
  onJump(value: string): void
}

/** Shows the rows from a value of their order on. A page costs the same wherever it is. */
export function Jump({ column, from, onJump }: JumpProps) {
  const [isOpen, setOpen] = useState(false)
  const [value, setValue] = useState('')
  const name = column.replace(/^-/, '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onJump(value.trim())
    setOpen(false)
  }
  if (from !== '') {
    return (
      <span className={css['chip']}>
        <span>
          from {name} {from}
        </span>
        <IconButton icon={<X aria-hidden />} label="Show rows from the first one" onClick={() => onJump('')} />
      </span>
    )
  }
  return (
    <Pop label="Jump" title="Jump to a value" icon={<CornerDownRight aria-hidden />} isOpen={isOpen} onOpen={setOpen}>
      <form className={css['jump']} onSubmit={submit}>
        <Field
          label={`From ${name}`}
          value={value}
          isCode
          help={`Rows with this value come first, then those ${column.startsWith('-') ? 'below' : 'above'} it.`}
          onChange={(event) => setValue(event.target.value)}
        />
        <Button look="main" type="submit" disabled={value.trim() === ''}>
          Jump to {name}
        </Button>
      </form>
    </Pop>
  )
}
