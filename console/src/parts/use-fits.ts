import { type RefObject, useLayoutEffect, useState } from 'react'

/** Whether an element is at least so many pixels wide. */
export function useFits(element: RefObject<HTMLElement | null>, pixels: number): boolean {
  const [fits, setFits] = useState(true)
  useLayoutEffect(() => {
    const target = element.current
    if (!target) return
    const measure = () => setFits(target.clientWidth >= pixels)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(target)
    return () => observer.disconnect()
  }, [element, pixels])
  return fits
}
