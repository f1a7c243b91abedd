import Foundation

/// The properties of the documents and their doc comments, as `Sources/Documents` declares them.
struct DocumentDeclarations {
    /// A stored property, which is a key of the JSON object.
    struct Property: Hashable {
        var name: String
        /// The type as written in Swift.
        var type: String
        /// The doc comment as one line.
        var comment: String
    }

    private var propertiesByType: [String: [Property]] = [:]
    private var casesByType: [String: [(name: String, comment: String)]] = [:]

    /// Reads the sources.
    init() {
        for file in ManualPage.swiftFiles(in: ["Sources/Documents", "Sources/Operations"]) { read(file.text) }
    }

    /// The stored properties of a type; nested types are named with a dot.
    func properties(of type: String) -> [Property] {
        propertiesByType[type] ?? []
    }

    /// The cases of an enumeration with their doc comments.
    func cases(of type: String) -> [(name: String, comment: String)] {
        casesByType[type] ?? []
    }

    private mutating func read(_ text: String) {
        var types: [(name: String, indent: Int)] = []
        var comment: [Substring] = []
        for line in ManualPage.lines(of: text) {
            let indent = line.prefix { $0 == " " }.count
            let code = line.dropFirst(indent).trimmingPrefix("@_spi(Baton) ")
                .trimmingPrefix(#/@(Content|IfPresent|Inlined) /#)
            if code.hasPrefix("/// ") {
                comment.append(code.dropFirst(4))
                continue
            }
            defer { comment = [] }
            if code.hasPrefix("}"), types.last?.indent == indent { types.removeLast() }
            let type = Self.name(in: code, after: "public struct ") ?? Self.name(in: code, after: "public enum ")
            if let type, code.hasSuffix("{") { types.append((type, indent)) }
            guard let type = types.last, indent == type.indent + 4, !code.hasSuffix("{") else { continue }
            if let name = Self.name(in: code, after: "case ") ?? Self.codeName(in: code) {
                casesByType[types.map(\.name).joined(separator: "."), default: []].append(
                    (name, Self.plain(comment.joined(separator: " ")))
                )
            }
            guard let name = Self.name(in: code, after: "public var "), let declaration = Self.declaredType(in: code)
            else { continue }
            propertiesByType[types.map(\.name).joined(separator: "."), default: []].append(
                Property(name: name, type: declaration, comment: Self.plain(comment.joined(separator: " ")))
            )
        }
    }

    /// The name after a keyword at the start of a line; nil for another line.
    private static func name(in code: Substring, after keyword: String) -> String? {
        guard code.hasPrefix(keyword) else { return nil }
        let name = code.dropFirst(keyword.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return name.isEmpty ? nil : String(name)
    }

    /// The name of a code, which is a constant of its type; nil for another line.
    private static func codeName(in code: Substring) -> String? {
        code.contains(" = Code(rawValue: ") ? name(in: code, after: "public static let ") : nil
    }

    /// The type of a stored property: as declared, or that of a default; nil without either.
    private static func declaredType(in code: Substring) -> String? {
        if let colon = code.range(of: ": ") {
            return code[colon.upperBound...].prefix { $0 != "=" }.trimmingCharacters(in: .whitespaces)
        }
        return code.hasSuffix(" = 0") ? "Int" : nil
    }

    /// A comment with JSON's null in place of Swift's nil, without links to symbols and without code markers.
    private static func plain(_ comment: String) -> String {
        var text = ""
        for (position, part) in comment.components(separatedBy: "``").enumerated() {
            // Odd parts are links: a link in parentheses adds nothing to the sentence, and another stands for its last name.
            if position.isMultiple(of: 2) {
                let isEmptied = text.hasSuffix(" (") && part.hasPrefix(")")
                text = isEmptied ? String(text.dropLast(2) + part.dropFirst()) : text + part
            } else if !text.hasSuffix(" (") {
                text += part.split(separator: "/").last.map(String.init) ?? ""
            }
        }
        return text.replacingOccurrences(of: "`", with: "").split(separator: " ", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("nil") && !$0.dropFirst(3).contains(where: \.isLetter) ? "null" + $0.dropFirst(3) : $0 }
            .joined(separator: " ")
    }
}
