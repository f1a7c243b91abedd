import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Files of the page without what only their readers need", .timeLimit(.minutes(60)))
struct CompactTextTests {
    private func compact(_ source: String, _ language: CompactText.Language) -> String {
        String(decoding: CompactText.of(Array(source.utf8), language), as: UTF8.self)
    }

    @Test(
        "A script means the same",
        arguments: [
            ("let a = 1;\n\n  // why\n  a += 2;\n", "let a=1;a+=2;"),
            (
                "/** Says.\n * more */\nexport function f(a, b) {\n  return a ? b : -1;\n}\n",
                "export function f(a,b){return a?b:-1}"
            ),
            ("x = a + +b - -c + d++ + e;", "x=a+ +b- -c+d++ +e;"),
            ("s = \"a // b  'c'\" + 'd  \\'  /* e */';", "s=\"a // b  'c'\"+'d  \\'  /* e */';"),
            ("t = `a  ${ b ? `c  ${ d }` : { e: 1 }.e }  // f`;", "t=`a  ${b?`c  ${d}`:{e:1}.e}  // f`;"),
            ("t = `${a.map((b) => `(c) => ${(d) => b}`)}`;", "t=`${a.map(b=>`(c) => ${d=>b}`)}`;"),
            ("t = `\\`  ${ \"}\" }`;", "t=`\\`  ${\"}\"}`;"),
            ("r = a.split(/ [/\"`] +/g) / 2;", "r=a.split(/ [/\"`] +/g)/2;"),
            ("const q = (n) => n / 2 / m; return /a  b/.test(q);", "let q=n=>n/2/m;return/a  b/.test(q);"),
            ("x = y[1] / 2; z = f(3) / 4;", "x=y[1]/2;z=f(3)/4;"),
            ("for (const a of b) if (a in c) delete d.e;", "for(let a of b)if(a in c)delete d.e;"),
            ("class A {\n  #b = 1;\n  static async *c() {}\n}", "class A{#a=1;static async*c(){}}"),
            ("a\n(b);", "a(b);"), ("a\n  .b(\n  c,\n);\nd;", "a.b(c);d;"), ("if (a) {\n  b;\n}\nc;", "if(a){b}c;"),
            ("class A {\n  b() {\n  }\n\n  async #c() {}\n}\nlet d;", "class A{b(){}async #a(){}}let d;"),
            ("a =\n  b ?\n  c :\n  d\n  - e\n  + +f;\nreturn\n;", "a=b?c:d-e+ +f;return;"), ("", ""), ("\n\n", ""),
            ("é = \"–  \";", "é=\"–  \";"),
            ("a /* b */ + c", "a+c"), ("a // b", "a"), ("return  a", "return a"),
            ("f([a, b,], {\n  c: 1,\n}, );", "f([a,b],{c:1});"), ("for (;;) { a(); }", "for(;;){a()}"),
            ("const [a] = b.const ; constant = \"const c\";", "let[a]=b.const;constant=\"const c\";"),
            (
                "a = true || b.true || trueness || \"false\"; return false;",
                "a=!0||b.true||trueness||\"false\";return !1;"
            ),
            (
                "class A { #page = 1; #b() { return `#page ${this.#page}` + \"#b\" + a.#b(this.#page); } }",
                "class A{#a=1;#b(){return`#page ${this.#a}`+\"#b\"+a.#b(this.#a)}}"
            ),
            (
                "f((a) => a, async (b) => b, () => c, (d, e) => d, ({ g }) => g, (h = 1) => h, ([i]) => i);",
                "f(a=>a,async(b)=>b,()=>c,(d,e)=>d,({g})=>g,(h=1)=>h,([i])=>i);"
            ),
            (
                "x = 0.5 + 10.25 - a0.5 + -0.75 * 0 + b ? 0.5 : c + `0.5 ${0.5}`;",
                "x=.5+10.25-a0.5+-.75*0+b?.5:c+`0.5 ${.5}`;"
            ),
            ("a = \",\"; b = [`;`, ];", "a=\",\";b=[`;`];"),
            ("f((...a) => a, ([b], c) => c);", "f((...a)=>a,([b],c)=>c);"), ("a = 0. ;", "a=0.;"),
            ("return $a in é;", "return $a in é;"),
            ("const a = 1;\n// b\nlet [c] = a;\nd;\nlet e;", "let a=1,[c]=a;d;let e;"),
            (
                "const f = () => {\n  const a = 1;\n  b(a);\n};\nconst g = `${() => { let c; let d; }}`;",
                "let f=()=>{let a=1;b(a)},g=`${()=>{let c,d}}`;"
            ),
            ("for (let i = 0; a; i += 1) {\n  b;\n}\nconst c = [1,];", "for(let i=0;a;i+=1){b}let c=[1];"),
            ("export const a = 1;\nexport const b = letter;", "export let a=1;export let b=letter;"),
        ]
    )
    func script(source: String, expected: String) {
        // What is left of a line's end at the end of a file means nothing.
        #expect(compact(source, .script).trimmed == expected.trimmed)
    }

    @Test(
        "A style sheet means the same",
        arguments: [
            ("/* a */\na , b > c { d: e f; g: h }\n", "a,b > c{d:e f;g:h}"),
            (".a :is(b, c) { width: calc(1px + 2%); }", ".a :is(b,c){width:calc(1px + 2%)}"),
            (
                "@media (max-width: 46rem) and (pointer: coarse) { a { b: \"{ ; }\"; } }",
                "@media (max-width:46rem) and (pointer:coarse){a{b:\"{ ; }\"}}"
            ),
            ("a { b: url(c://d) } e { f: g }", "a{b:url(c://d)}e{f:g}"),
            ("a::before { content: \"\"; }", "a::before{content:\"\"}"), ("a [b] { c: 1px }", "a [b]{c:1px}"),
            ("a { b: 0.5rem -0.25em 0 10.5px; c: max(0.1vw, 0px) }", "a{b:.5rem -.25em 0 10.5px;c:max(.1vw,0px)}"),
        ]
    )
    func style(source: String, expected: String) {
        #expect(compact(source, .style).trimmed == expected)
    }

    @Test("Markup loses its indentation alone")
    func markup() {
        #expect(compact("<p>\n  a  <b>c</b>\n\n</p>\n", .markup) == "<p>\na  <b>c</b>\n</p>\n")
    }

    @Test("A file that ends within a string, a template or a comment ends there")
    func unfinished() {
        for source in ["\"a", "'a\\", "`a${b", "`a${", "/* a", "/a[", "a /", "`", "//"] {
            #expect(compact(source, .script).utf8.count <= source.utf8.count, "\\(source)")
            #expect(compact(source, .style).utf8.count <= source.utf8.count, "\\(source)")
        }
    }
}

extension String {
    fileprivate var trimmed: Substring { self[...].drop { $0 == "\n" }.trimmingSuffix { $0 == "\n" } }
}

extension Substring {
    fileprivate func trimmingSuffix(_ isLeftOut: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isLeftOut(last) { rest.removeLast() }
        return rest
    }
}
