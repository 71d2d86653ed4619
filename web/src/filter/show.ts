export { quote } from './language.js'
