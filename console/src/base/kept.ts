// Texts that the browser keeps in IndexedDB, which holds far more than its other storage. All of them are read before the
// page starts, so that reading needs no waiting.

import { consolePath } from './facts.ts'

const store = 'texts'
/** Several servers may share a host, below different paths. */
const name = `trellis${consolePath}`
/** Days that texts stay which nobody comes back to. */
export const keptDays = 30
/** Milliseconds after which a browser that does not answer keeps nothing. */
const openedWithin = 1000

const answered = <T>(request: IDBRequest<T>): Promise<T> => {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  request.onsuccess = () => resolve(request.result)
  request.onerror = () => reject(request.error)
  return promise
}

interface Opened {
  /** Null: the browser keeps nothing, as in some private windows. */
  readonly database: IDBDatabase | null
  readonly texts: Map<string, string>
}

async function open(): Promise<Opened> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(store)
  const database = await answered(request)
  const all = database.transaction(store).objectStore(store)
  const [keys, values] = await Promise.all([answered(all.getAllKeys()), answered(all.getAll())])
  return { database, texts: new Map(keys.map((key, index) => [String(key), String(values[index])])) }
}

const nothing = (): Opened => ({ database: null, texts: new Map() })
const late = new Promise<Opened>((done) => setTimeout(() => done(nothing()), openedWithin))

const { database, texts } = await Promise.race([open().catch(nothing), late])
const others = new BroadcastChannel(name)

function write(key: string, text: string | null): void {
  if (!database) return
  try {
    const transaction = database.transaction(store, 'readwrite', { durability: 'relaxed' })
    if (text === null) transaction.objectStore(store).delete(key)
    else transaction.objectStore(store).put(text, key)
    // At once, because the page may be left.
    transaction.commit()
  } catch {
    // The browser has no room: the text holds until the page is left.
  }
}

/** Texts by their keys. */
export const kept = {
  get: (key: string): string | null => texts.get(key) ?? null,
  keys: (prefix: string): readonly string[] => [...texts.keys()].filter((key) => key.startsWith(prefix)),
  /** Keeps a text; null: removes it. */
  set(key: string, text: string | null): void {
    if (text === null) texts.delete(key)
    else texts.set(key, text)
    write(key, text)
    others.postMessage({ key, text })
  },
  /** Calls the listener after another window changed a text. */
  follow(listener: (key: string) => void): void {
    others.addEventListener('message', ({ data }: MessageEvent<{ key: string; text: string | null }>) => {
      if (data.text === null) texts.delete(data.key)
      else texts.set(data.key, data.text)
      listener(data.key)
    })
  },
}
