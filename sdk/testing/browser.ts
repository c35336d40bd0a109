// A real browser for tests of pages: Chromium, by its own protocol. It finds names of this machine only.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { makeTemporaryDirectory } from './postgres.ts'

type Parameters = Readonly<Record<string, unknown>>

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Parameters
  readonly result?: Parameters
  readonly error?: { readonly message: string }
  readonly sessionId?: string
}

/** A request of a page. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  /** Null: it had none. */
  readonly body: string | null
}

/** An open page. */
export interface Page {
  /** The addresses of all requests that it made, sockets and workers included. */
  readonly requests: readonly string[]
  /** The requests that left the page, with their bodies. */
  readonly sent: readonly SentRequest[]
  /** The faults in its console: refusals by its policy, and uncaught errors. */
  readonly complaints: readonly string[]
  /** The value of an expression; promises are awaited. */
  evaluate<T>(expression: string): Promise<T>
  /** Waits until an expression is true. */
  until(expression: string): Promise<void>
  /** Types into the element of a selector; the text replaces the old content. */
  type(selector: string, text: string): Promise<void>
  /** Clicks on the middle of the element of a selector, once it keeps its place and nothing covers it. */
  click(selector: string): Promise<void>
  /** Presses a key by its name, as `Tab`, `ArrowDown` or `k`. */
  press(key: string, modifiers?: readonly ('alt' | 'ctrl' | 'shift')[]): Promise<void>
  /** Pastes a text where the focus is. */
  paste(text: string): Promise<void>
  /** Sets the size of the window's content in CSS pixels. */
  resize(width: number, height: number): Promise<void>
  /** A screenshot, as PNG. */
  screenshot(): Promise<Buffer>
  /** Sends a command of Chromium's protocol, as `Emulation.setCPUThrottlingRate`, and returns its result. */
  command(method: string, parameters?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  /** Loads the page again. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds for any step on a machine under load. */
const timeoutMillis = 60_000

/** How often a text is typed until the focus stays in its element. */
const typingAttempts = 3

/**
 * An expression: the middle of an element once it has kept its place for a moment and nothing covers it; null: that did not
 * happen.
 */
const placeOf = (element: string): string => `new Promise((done) => {
  const end = Date.now() + ${timeoutMillis}
  let before = ''
  const look = () => {
    const element = ${element}
    element?.scrollIntoViewIfNeeded()
    const { x, y, width, height } = element?.getBoundingClientRect() ?? {}
    const middle = { x: x + width / 2, y: y + height / 2 }
    const now = JSON.stringify(middle)
    const hit = now === before ? document.elementFromPoint(middle.x, middle.y) : null
    if (hit !== null && (element.contains(hit) || hit.contains(element))) return done(middle)
    before = now
    if (Date.now() > end) done(null)
    else setTimeout(look, 30)
  }
  look()
})`

/** The Chromium to start. */
export interface BrowserOptions {
  /** The program; absent: the one of the variable `TRELLIS_TEST_CHROMIUM`, else an installed one. */
  readonly program?: string
  /** The environment of its process; absent: that of this one. */
  readonly environment?: NodeJS.ProcessEnv
}

/** A browser for tests. */
export interface TestBrowser extends AsyncDisposable {
  /** Opens a page; `before` is a script that runs first. */
  open(url: string, before?: string): Promise<Page>
  close(): Promise<void>
}

const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

function installed(): string {
  const given = process.env['TRELLIS_TEST_CHROMIUM']
  if (given !== undefined) return given
  const directories = (process.env['PATH'] ?? '').split(delimiter)
  const found = names.flatMap((name) => directories.map((directory) => join(directory, name))).find(existsSync)
  if (found === undefined) throw new Error(`no Chromium is installed: looked for ${names.join(', ')}`)
  return found
}

/** Starts a browser. */
export async function startBrowser({ program = installed(), environment }: BrowserOptions = {}): Promise<TestBrowser> {
  const directory = makeTemporaryDirectory()
  const args = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--lang=en'],
    // A colour that fades is another one for a moment.
    '--force-prefers-reduced-motion',
    ...['--remote-debugging-port=0', `--user-data-dir=${directory}`, '--window-size=1280,800'],
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1',
    // Pages of one server share what they have compiled.
    ...['--disable-background-networking', '--process-per-site', 'about:blank'],
  ]
  const child = spawn(program, args, { env: environment ?? process.env, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  let said = ''
  const address = new Promise<string>((done, failed) => {
    child.stderr.on('data', (chunk) => {
      said += chunk
      const url = /DevTools listening on (\S+)/.exec(said)?.[1]
      if (url !== undefined) done(url)
    })
    ended.then(() => failed(new Error(`Chromium ended: ${said}`)), failed)
  })
  const connection = new Connection(new WebSocket(await address, { perMessageDeflate: false }))
  await connection.opened
  const close = async () => {
    connection.close()
    child.kill()
    await ended
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  }
  return { open: (url, before) => openPage(connection, { url, before }), close, [Symbol.asyncDispose]: close }
}

/** The browser's protocol over its socket. */
class Connection {
  readonly opened: Promise<unknown>
  #socket: WebSocket
  #waiting = new Map<number, (message: Message) => void>()
  #listeners: ((message: Message) => void)[] = []
  #last = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
    this.opened = once(socket, 'open')
    socket.on('message', (data) => {
      const message: Message = JSON.parse(String(data))
      if (message.id === undefined) for (const listen of this.#listeners) listen(message)
      else this.#waiting.get(message.id)?.(message)
    })
  }

  onEvent(listen: (message: Message) => void): void {
    this.#listeners.push(listen)
  }

  async send(method: string, params: Parameters = {}, sessionId?: string): Promise<Parameters> {
    const id = ++this.#last
    const answered = new Promise<Message>((done) => this.#waiting.set(id, done))
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }))
    const { result = {}, error } = await answered
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }

  close(): void {
    this.#socket.terminate()
  }
}

const modifierBits = { alt: 1, ctrl: 2, shift: 8 }

/** Windows' numbers of keys that type no text: Chromium acts by them. */
const keyNumbers: Readonly<Record<string, number>> = {
  ...{ Backspace: 8, Tab: 9, Enter: 13, Escape: 27, PageUp: 33, PageDown: 34, End: 35, Home: 36 },
  ...{ ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Delete: 46, F2: 113, F6: 117 },
}

async function openPage(
  connection: Connection,
  { url, before }: { url: string; before: string | undefined },
): Promise<Page> {
  const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true })
  const send = (method: string, params: Parameters = {}) => connection.send(method, params, String(sessionId))
  const requests: string[] = []
  const sent: SentRequest[] = []
  const complaints: string[] = []
  await watch(connection, { session: String(sessionId), requests, sent, complaints })
  await send('Page.enable')
  if (before !== undefined) await send('Page.addScriptToEvaluateOnNewDocument', { source: before })
  await send('Page.navigate', { url })
  const evaluate = async <T>(expression: string): Promise<T> => {
    const asked = { expression, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = await send('Runtime.evaluate', asked)
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`)
    return (result as { value: T }).value
  }
  const until = async (expression: string): Promise<void> => {
    // The page repeats the check itself, because a busy page cannot be asked all the time.
    const waited = `new Promise((done) => {
      const end = Date.now() + ${timeoutMillis}
      const look = () => ((${expression}) ? done(true) : Date.now() > end ? done(false) : setTimeout(look, 100))
      look()
    })`
    if (await evaluate<boolean>(waited)) return
    const text = await evaluate<string>('document.body.innerText')
    throw new Error(`it did not happen: ${expression}\n${text}\n${complaints.join('\n')}`)
  }
  const { press, paste } = keyboardOf(send)
  const click = async (selector: string) => {
    const element = `document.querySelector(${JSON.stringify(selector)})`
    await until(`${element} !== null`)
    const place = await evaluate<{ x: number; y: number } | null>(placeOf(element))
    if (place === null) throw new Error(`the element of ${selector} cannot be clicked: it moves, or another covers it`)
    const at = { ...place, button: 'left', clickCount: 1 }
    await send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at })
    await send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at })
  }
  return {
    ...{ requests, sent, complaints, evaluate, until, press, paste, click },
    async type(selector, text) {
      const element = `document.querySelector(${JSON.stringify(selector)})`
      const hasLeft = `(${element}?.contains(document.activeElement) ?? true) === false`
      // A dialog that has just opened may take the focus once more.
      for (let attempt = 1; attempt <= typingAttempts; attempt++) {
        await click(selector)
        if (await evaluate<boolean>(hasLeft)) await evaluate(`${element}.focus()`)
        await press('a', ['ctrl'])
        await send('Input.insertText', { text })
        if (!(await evaluate<boolean>(hasLeft))) break
      }
    },
    async resize(width, height) {
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
    },
    async screenshot() {
      const { data } = await send('Page.captureScreenshot', { format: 'png' })
      return Buffer.from(String(data), 'base64')
    },
    async reload() {
      await evaluate('(window.isBeforeReload = true)')
      await send('Page.reload')
      // The old page cannot be asked while the new one comes.
      const isThere = () => evaluate<boolean>('!window.isBeforeReload').catch(() => false)
      while (!(await isThere())) await sleep(50)
    },
    command: send,
    async close() {
      await connection.send('Target.closeTarget', { targetId })
    },
  }
}

/** The keyboard of a page. */
function keyboardOf(send: (method: string, params: Parameters) => Promise<Parameters>): Pick<Page, 'press' | 'paste'> {
  const press = async (key: string, modifiers: readonly ('alt' | 'ctrl' | 'shift')[] = []) => {
    const bits = modifiers.reduce((sum, name) => sum + modifierBits[name], 0)
    // Of other signs the numbers depend on the keyboard; their codes as characters are the numbers of other keys.
    const windowsVirtualKeyCode = keyNumbers[key] ?? (/^[a-z0-9 ]$/i.test(key) ? key.toUpperCase().charCodeAt(0) : 0)
    const typed = key === 'Enter' ? '\r' : key
    const hasText = typed.length === 1 && !modifiers.includes('ctrl') && !modifiers.includes('alt')
    const event = { key, modifiers: bits, windowsVirtualKeyCode, ...(hasText && { text: typed }) }
    await send('Input.dispatchKeyEvent', { ...event, type: 'keyDown' })
    await send('Input.dispatchKeyEvent', { ...event, type: 'keyUp' })
  }
  const paste = async (text: string) => {
    await send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] })
    const expression = `navigator.clipboard.writeText(${JSON.stringify(text)})`
    await send('Runtime.evaluate', { expression, awaitPromise: true })
    const event = { key: 'v', modifiers: modifierBits.ctrl, windowsVirtualKeyCode: 86 }
    await send('Input.dispatchKeyEvent', { ...event, type: 'keyDown', commands: ['paste'] })
    await send('Input.dispatchKeyEvent', { ...event, type: 'keyUp' })
  }
  return { press, paste }
}

interface Watched {
  readonly session: string
  readonly requests: string[]
  readonly sent: SentRequest[]
  readonly complaints: string[]
}

/** Records the requests and the faults of a page and its workers from now on. */
async function watch(connection: Connection, { session, requests, sent, complaints }: Watched): Promise<void> {
  const sessions = new Set([session])
  const attend = async (sessionId: string) => {
    sessions.add(sessionId)
    for (const domain of ['Network', 'Log', 'Runtime']) {
      // Workers lack some of them.
      await connection.send(`${domain}.enable`, {}, sessionId).catch(() => {})
    }
    const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }
    await connection.send('Target.setAutoAttach', attach, sessionId).catch(() => {})
    await connection.send('Runtime.runIfWaitingForDebugger', {}, sessionId).catch(() => {})
  }
  connection.onEvent(({ method, params = {}, sessionId = '' }) => {
    if (!sessions.has(sessionId)) return
    if (method === 'Target.attachedToTarget') void attend(String(params['sessionId']))
    if (method === 'Network.requestWillBeSent') {
      const request = params['request'] as { url: string; method: string; postData?: string }
      requests.push(request.url)
      sent.push({ method: request.method, url: request.url, body: request.postData ?? null })
    }
    if (method === 'Network.webSocketCreated') requests.push(String(params['url']))
    if (method === 'Runtime.exceptionThrown') complaints.push(JSON.stringify(params['exceptionDetails']))
    if (method === 'Log.entryAdded') complaints.push((params['entry'] as { text: string }).text)
  })
  await attend(session)
}
