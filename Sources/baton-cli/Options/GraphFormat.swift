@_spi(Baton) import BatonArguments

/// The form in which `graph` prints a graph.
enum GraphFormat: String, CaseIterable, ExpressibleByArgument {
    /// The language of graphviz.
    case dot
    /// A drawing.
    case svg
    /// The document for scripts.
    case json
}
