import { type FormEvent, useState } from 'react'
import { useStore } from '../base/store.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Checkbox, Field, Select } from '../parts/field.tsx'
import { giveCredentials, signIn } from '../requests/credentials.ts'

/** Asks for credentials, over the page: nothing that was typed there is lost, and the requests that wait go on. */
export function SignIn() {
  const asked = useStore(signIn)
  return (
    <Dialog
      isOpen={asked !== null}
      title="Sign in"
      description="The server asks for its admin secret, or for a token with the role admin."
      onClose={() => giveCredentials(null)}
    >
      {asked && <Form reason={asked.reason} />}
    </Dialog>
  )
}

function Form({ reason }: { readonly reason: string | null }) {
  const [kind, setKind] = useState<'secret' | 'token'>('secret')
  const [value, setValue] = useState('')
  const [isKept, setKept] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (value !== '') giveCredentials({ kind, value, isKept })
  }
  const form = { display: 'contents' }
  return (
    <form onSubmit={submit} style={form}>
      <Select<'secret' | 'token'>
        label="Sign in with"
        value={kind}
        options={[
          { value: 'secret', label: 'Admin secret' },
          { value: 'token', label: 'Token' },
        ]}
        onChange={setKind}
      />
      {/* Password managers keep a secret by the name of its user. */}
      <input type="hidden" name="username" autoComplete="username" value="admin" />
      <Field
        label={kind === 'secret' ? 'Admin secret' : 'Token'}
        type="password"
        name="password"
        autoComplete="current-password"
        value={value}
        onChange={(event) => setValue(event.target.value)}
        error={reason}
        autoFocus
      />
      <Checkbox label="Keep for this tab" checked={isKept} onChange={(event) => setKept(event.target.checked)} />
      <Button type="submit" look="main" disabled={value === ''}>
        Sign in
      </Button>
    </form>
  )
}
