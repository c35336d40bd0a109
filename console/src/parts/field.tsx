import { Select as BaseSelect } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import { type InputHTMLAttributes, type ReactNode, useId } from 'react'
import css from './field.module.css'

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className'> {
  readonly label: string
  /** Keeps the label for screen readers alone. */
  readonly isLabelHidden?: boolean
  readonly help?: ReactNode
  /** An error that stands where it happened. */
  readonly error?: string | null
  readonly isCode?: boolean
}

/** A text field with its label, help and error. */
export function Field({ label, isLabelHidden = false, help, error, isCode = false, ...props }: FieldProps) {
  const id = useId()
  const about = `${id}-about`
  return (
    <div className={css['field']}>
      <label htmlFor={id} className={isLabelHidden ? css['hidden'] : css['label']}>
        {label}
      </label>
      <input
        autoComplete="off"
        spellCheck={false}
        {...props}
        id={id}
        className={`${css['input']} ${isCode ? css['code'] : ''}`}
        aria-invalid={error ? true : undefined}
        aria-describedby={error || help ? about : undefined}
      />
      {(error || help) && (
        <div id={about} className={error ? css['error'] : css['help']}>
          {error || help}
        </div>
      )}
    </div>
  )
}

interface CheckboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'type'> {
  readonly label: ReactNode
  readonly isLabelHidden?: boolean
}

/** A tick box with its label. */
export const Checkbox = ({ label, isLabelHidden = false, ...props }: CheckboxProps) => (
  <label className={css['tick']}>
    <input type="checkbox" {...props} />
    <span className={isLabelHidden ? css['hidden'] : undefined}>{label}</span>
  </label>
)

interface SelectProps<T extends string> {
  readonly label: string
  readonly isLabelHidden?: boolean
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  onChange(value: T): void
  readonly disabled?: boolean
}

/** A choice of one among few. */
export function Select<T extends string>({
  label,
  isLabelHidden = false,
  value,
  options,
  onChange,
  disabled = false,
}: SelectProps<T>) {
  const id = useId()
  return (
    <div className={css['field']}>
      <span id={id} className={isLabelHidden ? css['hidden'] : css['label']}>
        {label}
      </span>
      <BaseSelect.Root
        items={[...options]}
        value={value}
        onValueChange={(next) => next !== null && onChange(next as T)}
        disabled={disabled}
      >
        <BaseSelect.Trigger className={css['select']} aria-labelledby={id}>
          <BaseSelect.Value />
          <BaseSelect.Icon className={css['arrow']}>
            <ChevronDown aria-hidden />
          </BaseSelect.Icon>
        </BaseSelect.Trigger>
        <BaseSelect.Portal>
          <BaseSelect.Positioner sideOffset={4} className={css['positioner']} alignItemWithTrigger={false}>
            <BaseSelect.Popup className={css['popup']} aria-label={label}>
              {options.map((option) => (
                <BaseSelect.Item key={option.value} value={option.value} className={css['option']}>
                  <BaseSelect.ItemText>{option.label}</BaseSelect.ItemText>
                  <BaseSelect.ItemIndicator className={css['chosen']}>
                    <Check aria-hidden />
                  </BaseSelect.ItemIndicator>
                </BaseSelect.Item>
              ))}
            </BaseSelect.Popup>
          </BaseSelect.Positioner>
        </BaseSelect.Portal>
      </BaseSelect.Root>
    </div>
  )
}
