// The default theme with the fonts of the system, paper, ink and one green.

import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
