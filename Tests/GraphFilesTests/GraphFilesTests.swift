// GraphFiles
