// Files that the person saves and opens.

/** Saves a text, or bytes, as a file. */
export function saveFile(name: string, text: string | Uint8Array<ArrayBuffer>, type: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
