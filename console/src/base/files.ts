// Files that the person saves and opens.

/** Saves a text, or bytes, as a file. */
export const saveFile = (name: string, text: string | Uint8Array<ArrayBuffer>, type: string): void =>
  saveBlob(name, new Blob([text], { type }))

/** Saves a file that was read. */
export function saveBlob(name: string, file: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
