@_spi(Baton) import BatonOperations

/// A list of distinct templates.
///
/// A dictionary with templates as keys would hold each template twice; with a million templates, each growth of the dictionary
/// would move a lot of memory.
struct TemplateTable {
    /// The templates, in the order of their first use.
    private(set) var templates: [Template] = []
    /// The position of a template by hash; after a collision, by the next free number.
    private var positions: [Int: Int] = [:]
    /// The position of the last used template.
    private var last = 0

    /// The position of a template; a new template is appended.
    mutating func position(of template: Template) -> Int {
        // Neighbours are mostly equal, and comparing is cheaper than hashing.
        if last < templates.count, templates[last] == template { return last }
        var hash = template.hashValue
        while let position = positions[hash] {
            if templates[position] == template {
                last = position
                return position
            }
            hash &+= 1
        }
        last = templates.count
        positions[hash] = last
        templates.append(template)
        return last
    }
}
