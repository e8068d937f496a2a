#include "views/experiment/experiment_form.h"
#include "views/view_registry.h"

namespace halo {
namespace {

QWidget* make(Session&) { return new ExperimentForm; }

const Registered<ViewEntry> self{{{"Experiment", "an experiment as a form and as text", ""},
                                  "Experiment",
                                  ViewArea::centre,
                                  30,
                                  {Perspective::setUp},
                                  {Perspective::setUp},
                                  make}};

}  // namespace
}  // namespace halo
