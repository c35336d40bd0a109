// Copying texts, also where the browser offers its clipboard to secure addresses alone.

/** Copies a text. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  // Outside of dialogs the focus would be refused.
  const place = document.querySelector('[role=dialog]') ?? document.body
  place.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
