/** Names, or other short texts of code, below each other. */
export const CodeList = ({ texts }: { readonly texts: readonly string[] }) => (
  <ul>
    {texts.map((text) => (
      <li key={text}>
        <code>{text}</code>
      </li>
    ))}
  </ul>
)
