import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("Places of an array's command")
struct PlaceholderTests {
    /// Items with characters that a shell, an option parser or a template treats specially.
    static let hostile = [
        "", " ", "-rf", "--", "a b", "*", "~", "it's", "\"", "\\", "$(echo x)", "`echo x`", "${HOME}", "$1", "a\nb",
        "\t", ";exit 3",
        "{}", "{1}", "{lr}", "日本語", "e\u{301}", "#", "!", "&", "a,b", "\"a,b\"",
        String(repeating: "x'\"$(", count: 10_000),
    ]

    @Test("Fields are read as they were written, whatever they are", arguments: hostile)
    func fields(text: String) {
        for fields in [[text], [text, text], ["a", text, ""], ["", text]] {
            #expect(ItemFields.fields(of: ItemFields.text(of: fields)) == fields)
        }
    }

    @Test("Fields have quotes only where they need them, and quotes elsewhere stand for themselves")
    func form() {
        #expect(ItemFields.text(of: ["0.1", "a b", "", "x,y", "say \"hi\""]) == #"0.1,a b,,"x,y","say ""hi""""#)
        #expect(ItemFields.fields(of: #"a"b,c""#) == [#"a"b"#, #"c""#])
        #expect(ItemFields.fields(of: #""a"b,"c"#) == ["ab", "c"])
        #expect(ItemFields.fields(of: ",") == ["", ""])
    }

    @Test("Items and columns fill their places in one pass, and unknown words stay")
    func filling() {
        let plain = Placeholders(columns: [])
        #expect(
            plain.filling(["x", "{}", "a{}b{}", "{1}", "{lr}", "{"], with: "{}") == [
                "x", "{}", "a{}b{}", "{1}", "{lr}", "{",
            ]
        )
        #expect(plain.filling(["{{}}", "{}", "}{"], with: "i") == ["{i}", "i", "}{"])
        let columns = Placeholders(columns: ["lr", "", "2"])
        let item = ItemFields.text(of: ["{2}", "b c", "d"])
        #expect(
            columns.filling(["{lr}", "{1}", "{2}", "{3}", "{4}", "{0}", "{LR}", "${lr}"], with: item)
                == ["{2}", "{2}", "d", "d", "{4}", "{0}", "{LR}", "${lr}"]
        )
        #expect(columns.filling(["<{}>", "{3}"], with: "only") == ["<only>", "{3}"])
    }

    @Test(
        "A place that is nearly a column, and a command that uses nothing of a table, are refused with the way to mean it",
        arguments: [
            (["lr", "batch size"], ["t", "{LR}"], "Write {lr}, or \\{LR} for this text itself."),
            (["lr", "batch size"], ["{lr} {batchsize}"], "Write {batch size}, or \\{batchsize} for this text itself."),
            (["rate"], ["t", "--rate={ rtae }"], "Write {rate}, or \\{ rtae } for this text itself."),
            (["rate"], ["t", "{} {index}"], "Write {}, or \\{index} for this text itself."),
            ([], ["t", "{} {Item}"], "Write {}, or \\{Item} for this text itself."),
            (["", "rate"], ["t"], "Write {rate} in it, or begin it with: env BATON_ITEM={}"),
            ([], ["t", "{1}"], "Write {}, or \\{1} for this text itself."),
            ([], ["t", "{} a/{2}"], "Write {}, or \\{2} for this text itself."),
            ([], ["t", "a{1}"], "Write {} in it, or begin it with: env BATON_ITEM={}"),
            (["lr", "size"], ["t", "{3}"], "Write {1} to {2}, or \\{3} for this text itself."),
            (["lr", "size"], ["t", "--x={0} {lr}"], "Write {1} to {2}, or \\{0} for this text itself."),
            (["lr"], ["sh -c 'x \"{2}\"'"], "Write {1}, or \\{2} for this text itself."),
            (["lr", "size"], ["{lr} {99999999999999999999}"], "for this text itself."),
            (["lr", "size"], ["t", "{l} {size}"], "Write {lr}, or \\{l} for this text itself."),
            (["learning_rate"], ["t", "{Learn}"], "Write {learning_rate}, or \\{Learn} for this text itself."),
            ([], ["t", "{}", "{.}.gz"], "Write sh -c '... ${1%.*} ...' sh {}, or \\{.} for this text itself."),
            ([], ["t", "{1.}"], "Write sh -c '... ${1%.*} ...' sh {}, or \\{1.} for this text itself."),
            ([], ["t", "out/{/}"], "Write sh -c '... ${1##*/} ...' sh {}, or \\{/} for this text itself."),
            (["", ""], ["t", "{2//}"], "Write sh -c '... ${1%/*} ...' sh {2}, or \\{2//} for this text itself."),
            ([], ["t", "{/.}"], "Write sh -c '... $(basename ${1%.*}) ...' sh {}, or \\{/.} for this text itself."),
            ([], ["t", "{#}"], "Write sh -c '... $BATON_INDEX ...', or \\{#} for this text itself."),
        ] as [([String], [String], String)]
    )
    func mistakes(columns: [String], command: [String], advice: String) {
        let places = Placeholders(columns: columns)
        let refusal = #expect(throws: Refusal.self) { try places.check([command], hook: []) }
        #expect(refusal?.message.hasSuffix(advice) == true, "\(String(describing: refusal))")
    }

    @Test("Code with braces is no mistaken place, and a backslash lets a mistaken one stand for itself")
    func allowed() throws {
        let table = Placeholders(columns: ["lr", "print"])
        for word in [
            "awk {lr} '{print $1}'", "${LR} {lr}", "{} {x} {word} \\{3}", "\"$BATON_ITEM\" {\"LR\": 1}", "{2} {LR",
            "grep -E 'a{3}|[0-9]{4}|(x){0}' {lr}", "{lr} ${3}", "{lr} {3,4}",
            "inspect --format '{{.}}' {lr}", "${#} {lr}", "{lr} {...} {a/b} {2#}",
        ] {
            try table.check([["t", word]], hook: [])
        }
        try table.check([], hook: ["t"])
        try Placeholders(columns: []).check([["t"]], hook: ["t", "a{2}"])
        #expect(throws: Refusal.self) { try table.check([["t", "{lr}"]], hook: ["t", "{Lr}"]) }
        let escaped = ["\\{LR} {lr} \\{word} \\{} \\{3} a\\{4}"]
        try table.check([escaped], hook: [])
        #expect(table.filling(escaped, with: "1,2") == ["{LR} 1 \\{word} \\1,2 {3} a\\{4}"])
        #expect(Placeholders(columns: []).filling(["\\{.} {}"], with: "a.b") == ["{.} a.b"])
        let line = ShellLine.words("echo '\\{LR}' \\{Print} {lr}", columns: ["lr", "print"])
        try table.check([line], hook: [])
        #expect(table.filling(line, with: "1,2") == ["/bin/sh", "-c", "echo '{LR}' {Print} \"${1}\"", "sh", "1"])
    }

    // "--each a,b --env 'X={}'" left the text in the variable of each element.
    @Test("A variable with a place that nothing fills is refused, and other braces are not")
    func variables() throws {
        let table = Placeholders(columns: ["lr"])
        for value in ["{}", "x{lr}", "{1}"] {
            let refusal = #expect(throws: Refusal.self) { try table.check(["X": value], advice: "say so") }
            #expect(refusal?.message.hasPrefix("The variable X has {") == true)
            #expect(refusal?.message.hasSuffix(", or say so.") == true)
        }
        try table.check(["X": "${lr} {\"a\": 1} {x}"], advice: "")
        try Placeholders(columns: []).check(["X": "{lr} {1}"], advice: "")
    }

    @Test("A path with a place that nothing fills, or nearly one, is refused, and other braces are not")
    func paths() throws {
        let table = Placeholders(columns: ["lr"])
        for path in ["{}", "in/{lr}", "/tmp/{LR}/x", "{1}"] {
            let refusal = #expect(throws: Refusal.self) { try table.check(path: path, "working directory") }
            #expect(refusal?.message.hasPrefix("The working directory has {") == true)
        }
        for path in [nil, "", "/tmp/{a", "{data}/x", "}{"] { try table.check(path: path, "working directory") }
    }

    @Test(
        "A command line's places become parameters, written for the quotes around them",
        arguments: [
            ("gzip {}", ["gzip \"${1}\"", "sh", "{}"]),
            ("gzip", ["gzip"]),
            ("a \"{} {}\" '{}'", ["a \"${1} ${1}\" ''\"${1}\"''", "sh", "{}"]),
            (
                "echo {lr} \"{2}\" {word} ${lr} {}",
                ["echo \"${1}\" \"${2}\" {word} ${lr} \"${3}\"", "sh", "{1}", "{2}", "{}"]
            ),
            ("echo \"$(cat \"{}\" {})\"", ["echo \"$(cat \"${1}\" \"${1}\")\"", "sh", "{}"]),
            ("echo $(( {} * (2 + {}) )) {}", ["echo $(( ${1} * (2 + ${1}) )) \"${1}\"", "sh", "{}"]),
            ("echo \\\" {} # don't {}\necho {}", ["echo \\\" \"${1}\" # don't ${1}\necho \"${1}\"", "sh", "{}"]),
            ("echo `cat {}` {}", ["echo `cat \"${1}\"` \"${1}\"", "sh", "{}"]),
            ("echo \\{} {} \"\\{lr}\"", ["echo \\{\"\"} \"${1}\" \"\\{\"\"lr}\"", "sh", "{}"]),
            ("echo 'a", ["echo 'a"]),
        ] as [(String, [String])]
    )
    func shellLine(line: String, words: [String]) {
        // What the worker would fill in the line itself, an item could leave.
        let columns = ["lr", "size"]
        let script = ShellLine.words(line, columns: columns)[2]
        #expect(Placeholders(columns: columns).filling([script], with: "X,Y") == [script])
        #expect(ShellLine.words(line, columns: ["lr", "size"]) == ["/bin/sh", "-c"] + words)
    }
}
