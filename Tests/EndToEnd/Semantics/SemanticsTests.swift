import Testing

/// One test for each numbered statement of the contract, against real processes, in clusters of each shape.
///
/// The sections of the contract are nested suites, a file each; `README.md` in the folder above says which test shows which
/// statement, and how. The tests run beside each other, as many at once as there are ``Lanes``: each has its own cluster, and its
/// limit of time is that of ``withCluster(_:coordinator:_:)``.
@Suite("Semantics")
enum SemanticsTests {}
