// Imported before @preact/signals, which binds its hooks with arguments when it is evaluated. MooTools before 1.5 replaces
// `Function.prototype.bind` with one that takes such arguments as an array: no panel would ever be rendered. Each chunk's
// first module imports it, for the build to put it before the signals wherever the chunks share them.

const functions = Function.prototype
const pageBind = Object.getOwnPropertyDescriptor(functions, 'bind') as PropertyDescriptor
const isStandard = ((...args: unknown[]) => args.length === 2).bind(null, 1, 2)()

if (!isStandard) {
  const bind = function (this: (...args: unknown[]) => unknown, that: unknown, ...args: unknown[]) {
    return (...more: unknown[]) => this.apply(that, [...args, ...more])
  }
  Object.defineProperty(functions, 'bind', { ...pageBind, value: bind })
  // Give the page its own back once the modules that are being evaluated now have run.
  queueMicrotask(() => Object.defineProperty(functions, 'bind', pageBind))
}
