import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const source = join(import.meta.dirname, '../../node_modules/preact/src/')

/** A piece of Preact's source, and what it comes to in a panel that has none of what it is for. */
type Fact = [piece: string | RegExp, comesTo: string]

const noPlugins: Fact = [/options\.\w+/g, 'undefined']

/** Nothing is hydrated, has a `ref` or a context, or does anything after it has been drawn. */
const noSuchParameters: Fact[] = [
  [/\n\t*(globalContext|excessDomChildren|commitQueue|isHydrating|refQueue),$/g, ''],
  [/,\s*(\/\/.*\s*)?refQueue(?=\s*\))/g, ''],
]

/**
 * What the panel never does, said in the words of Preact's own source: the minifiers then drop what serves nothing else.
 * A piece that is no longer there fails the build.
 */
export const facts: Record<string, Fact[]> = {
  'diff/index.js': [
    // What throws, throws.
    ['try {\n\t\t\tlet c,', '{\n\t\t\tlet c,'],
    [/\} catch \(e\) \{[\s\S]*?options\._catchError\(e, newVNode, oldVNode\);\n\t\t\}/g, '}'],
    ['let oldCommitQueueLength = commitQueue.length;', ''],
    [/excessDomChildren\s*\? excessDomChildren\[0\]\s*:/g, ''],
    [/excessDomChildren =\s*nodeType[^;]*;|\bexcessDomChildren = NULL;(?=\n\t\})/g, ''],
    ...noSuchParameters,
    ['(!isHydrating || dom.data != newProps)', 'true'],
    ['(r = vnode.ref)', 'false'],
    [/\b[cr]\._(parentDom|vnode) = [^;]*;/g, ''],
    noPlugins,
    [/if \(\(tmp = undefined\)\) tmp\(newVNode\);/g, ''],
    // No classes and no contexts: components are functions of their properties, without a state.
    ['(tmp = newType.prototype) && tmp.render', 'false'],
    [/(const provider =|const componentContext =|tmp =) (newType\.contextType|tmp\b)[^;]*;/g, '$1 undefined;'],
    ['c.shouldComponentUpdate &&', 'false &&'],
    ['if (c.componentWillUpdate)', 'if (false)'],
    ['if (c.getChildContext)', 'if (false)'],
    ['c._renderCallbacks.length', 'false'],
    [/EMPTY_ARR\.push\.apply\(c\._renderCallbacks, c\._stateCallbacks\);\s*c\._stateCallbacks = \[\];/g, ''],
    [/c\.(state|_renderCallbacks|_stateCallbacks|_globalContext) = (\[\]|c\._nextState|globalContext);/g, ''],
    ['if (!c.state) c.state = {};', ''],
    ['c.render(c.props, (c.state = c._nextState), c.context)', 'newType(newProps)'],
    ['c.render = doRender;', ''],
    [/new BaseComponent\(\s*newProps,\s*componentContext\s*\)/g, '{}'],
    ['c.props = newProps;', ''],
    ['newVNode._original != oldVNode._original', 'false'],
    ['(r = vnode._component)', 'false'],
    ['c.constructor = newType;', ''],
    ['c.context = componentContext;', ''],
    ['while (c._bits & COMPONENT_DIRTY && ++count < 25)', 'while (false)'],
    ['!(c._bits & COMPONENT_DIRTY)', 'true'],
    [/c\._bits (\|=|&=) ~?COMPONENT_(DIRTY|FORCE);/g, ''],
    ['!(c._bits & COMPONENT_FORCE) &&', ''],
    [/commitQueue\.some\(c => \{[\s\S]*?\n\t\}\);/g, ''],
    [/c\._bits & COMPONENT_(PENDING_ERROR|PROCESSING_EXCEPTION)/g, 'false'],
    // No portals.
    [' && !vnode.props._parentDom', ''],
    ['if (newProps._parentDom)', 'if (false)'],
    // No hydration, and nothing that is suspended.
    ['oldVNode._flags & MODE_SUSPENDED', 'false'],
    ['(r = r._excess)', 'false'],
    ['newVNode._flags &= RESET_MODE;', ''],
    ['if (resumed)', 'if (false)'],
    ['!isHydrating && excessDomChildren', 'false'],
    ['if (excessDomChildren)', 'if (false)'],
    ['if (isHydrating)', 'if (false)'],
    ["!isHydrating || nodeType == 'textarea'", 'true'],
    ["!isHydrating || typeof value == 'function'", 'true'],
    // No markup as a string, no mathematics, no custom built-in elements, and none of these properties.
    ["i == 'dangerouslySetInnerHTML'", 'false'],
    ['if (newHtml)', 'if (false)'],
    ['if (oldHtml)', 'if (false)'],
    ['namespace == MATH_NAMESPACE', 'false'],
    [/nodeType == '(math|foreignObject|progress)'/g, 'false'],
    [/,\s*newProps\.is \? newProps : parentDom/g, ''],
    ["parentDom = (nodeType == 'template' && dom.content) || dom;", ''],
    [/parentDom(?=,\s*isArray\(newChildren\))/g, 'dom'],
    ["i == 'checked'", 'false'],
    ['checked != UNDEFINED', 'false'],
    ["i = 'checked';", ''],
    ["(i == 'value' && 'defaultValue' in newProps)", 'false'],
    ['parentDom.ownerDocument || document', 'document'],
  ],
  'diff/children.js': [
    ...noSuchParameters,
    ['oldVNode.ref != childVNode.ref ||', 'false &&'],
    ["typeof childVNode == 'function'", 'false'],
    ['childVNode.constructor === String', 'false'],
    ['parentVNode.props._parentDom', 'false'],
    ['oldDom && !oldDom.parentNode', 'false'],
    ['next && next.nodeType == 8', 'false'],
    ['oldDom.nodeType == 8 &&', 'false &&'],
  ],
  'diff/props.js': [
    noPlugins,
    ["name == 'style'", 'false'],
    ["useCapture = name != (name = name.replace(CAPTURE_REGEX, '$1'));", ''],
    [/name = name\.replace\(\/xlink.*/, ''],
    ["name == 'popover' && value == true", 'false'],
    // Those that the panel has come to the same as properties.
    [/name != '\w+' &&/g, ''],
    // What an event does draws nothing around where it has happened that would hear it as well.
    [/let (EVENT_DISPATCHED|eventClock) = .*|\(dom\._attached .*= eventClock;/g, ''],
    [/if \(e\[EVENT_DISPATCHED\] == NULL\) \{[\s\S]*?return;\n\t+\}/g, ''],
    // What handles an event is a function or missing, and every other property is none.
    [/if \(typeof \w+ != 'function'\) \w+ = NULL;/g, ''],
    ["if (typeof value == 'function') return;", ''],
    ["if (name[0] < 'a')", ''],
  ],
  'render.js': [
    noPlugins,
    ['parentDom.nodeType == 9', 'false'],
    ['vnode && vnode._flags & MODE_HYDRATE', 'false'],
    [/oldVNode\s*\? NULL\s*: parentDom.firstChild\s*\? slice[\s\S]*?NULL,/g, ''],
    ['EMPTY_OBJ,\n\t\tparentDom.namespaceURI', 'undefined'],
    ...noSuchParameters,
    [/let commitQueue = [^;]*;|commitRoot\([^;]*;/g, ''],
  ],
  'util.js': [['node && node.parentNode', 'node']],
  'create-element.js': [noPlugins, ["else if (i == 'ref' && typeof type != 'function') ref = props[i];", '']],
  'component.js': [
    noPlugins,
    ['!vnode.props._parentDom', 'true'],
    ['this.context = context;', ''],
    // Nothing is drawn again by a component itself.
    [/\nBaseComponent\.prototype\.\w+ = (function[\s\S]*?\n\};|Fragment;)/g, ''],
  ],
  'diff/catch-error.js': [[/\tfor \([\s\S]*\n\t\}\n|resetRenderCount\(\);/g, '']],
  'index.js': [[/export \{ (BaseComponent|createContext|createPortal|toChildArray|default).*|, hydrate/g, '']],
}

/** Builds Preact from its source, without what the panel does not use: a third of it. */
export const leanPreact: Plugin = {
  name: 'lean-preact',
  enforce: 'pre',
  resolveId: id => (id === 'preact' ? join(source, 'index.js') : null),
  load(id) {
    if (!id.startsWith(source)) return null
    let code = readFileSync(id, 'utf8')
    for (const [piece, comesTo] of facts[id.slice(source.length)] ?? []) {
      const less = code.replaceAll(typeof piece === 'string' ? piece : new RegExp(piece, 'gm'), comesTo)
      if (less === code) throw new Error(`Preact's ${id.slice(source.length)} no longer says ${piece}`)
      code = less
    }
    return code
  },
}
