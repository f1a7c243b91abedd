@_spi(Baton) import BatonOperations
import Testing

@Suite("Names") struct NameTests {
    @Test(
        "A name that starts with a letter or an underscore of any script is allowed",
        arguments: [
            "a", "_", "_1", "sepia", "a.b-c:d", "Größe", "名前", "a\u{301}",
            String(repeating: "a", count: Name.maximumLength),
        ]
    )
    func nameStartsLetterUnderscore(name: String) {
        #expect(Name.isValid(name))
    }

    @Test(
        "A name is refused if it is empty, too long, badly started or has a slash or white space",
        arguments: [
            "", "1", "1a", "-a", ".", "..", ".a", "a/b", "a b", "a\tb", "a\nb", "a\r\n", "a\u{0}", "a\u{7F}",
            "a\u{A0}b",
            "a\u{2028}b", String(repeating: "a", count: Name.maximumLength + 1), String(repeating: "ä", count: 101),
        ]
    )
    func nameRefusedIfEmpty(name: String) {
        #expect(!Name.isValid(name))
    }

    @Test(
        "An invisible or control character in a name or a key is refused with its code point",
        arguments: [
            ("\u{61C}", "U+061C"), ("\u{200B}", "U+200B"), ("\u{200E}", "U+200E"), ("\u{202A}", "U+202A"),
            ("\u{202E}", "U+202E"),
            ("\u{2060}", "U+2060"), ("\u{2066}", "U+2066"), ("\u{2069}", "U+2069"), ("\u{FEFF}", "U+FEFF"),
            ("\u{7}", "U+0007"),
            ("\u{85}", "U+0085"), ("\u{7F}", "U+007F"),
        ]
    )
    func invisibleControlCharacterName(
        character: Unicode.Scalar,
        code: String
    ) {
        for text in ["a\(character)", "a\(character)b", "ä\(character)"] {
            #expect(!Name.isValid(text))
            #expect(Name.objection(to: text)?.contains(code + " ") == true)
            #expect(Name.objection(toKey: text)?.contains(code + " ") == true)
            #expect(!Name.shown(text).unicodeScalars.contains(character))
        }
    }

    @Test("A key may have spaces and slashes, unlike a name, and may be neither empty nor too long")
    func keyMayHaveSpaces() {
        #expect(Name.objection(toKey: "1 / b") == nil)
        #expect(Name.objection(toKey: "") != nil)
        #expect(Name.objection(toKey: String(repeating: "k", count: Name.maximumLength + 1)) != nil)
        #expect(Name.objection(to: "a\u{200D}b") == nil, "it joins letters in some scripts")
        #expect(Name.objection(to: "1a") == Name.rule)
    }

    @Test(
        "Equivalent spellings of a name are brought into one normalized form",
        arguments: [
            ("plain", "plain"), ("", ""), ("e\u{301}", "\u{E9}"), ("\u{E9}", "\u{E9}"), ("\u{212B}", "\u{C5}"),
            ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"), ("q\u{323}\u{307}", "q\u{323}\u{307}"),
            ("q\u{307}\u{323}", "q\u{323}\u{307}"), ("\u{958}", "\u{915}\u{93C}"), ("\u{FB01}", "\u{FB01}"),
        ]
    )
    func equivalentSpellingsNameBrought(text: String, expected: String) {
        #expect(Array(Name.normalized(text).unicodeScalars) == Array(expected.unicodeScalars))
        #expect(Name.spellings(of: text)[0].utf8.elementsEqual(expected.utf8))
    }

    @Test("The spellings of a name are its normalized and its decomposed form, or one if they are equal")
    func spellingsNameNormalizedDecomposed() {
        let spellings = Name.spellings(of: "\u{E9}").map { Array($0.unicodeScalars) }
        #expect(spellings == [["\u{E9}"], ["e", "\u{301}"]])
        #expect(Name.spellings(of: "plain").count == 1)
        #expect(Name.spellings(of: "名前").count == 1)
    }

    @Test("A name is shown with at most 80 characters, and a longer one ends in an ellipsis")
    func nameShownMost80() {
        let fits = String(repeating: "a", count: 80)
        #expect(Name.shown(fits) == fits)
        #expect(Name.shown(fits + "b") == fits.dropLast() + "…")
        #expect(Name.shown(String(repeating: "ä", count: 90)).count == 80)
    }

    @Test(
        "The rule for names is the same for ASCII names and for names with other letters",
        arguments: 0...127 as ClosedRange<UInt8>
    )
    func ruleNamesSameASCII(byte: UInt8) {
        let character = String(UnicodeScalar(byte))
        #expect(Name.isValid(character) == Name.isValid(character + "ä"))
        #expect(Name.isValid("a" + character) == Name.isValid("ä" + character + "a"))
    }
}
