/* The steps of pairs in lanes at this level. */
#include "hull_lanes.h"

const ap_lanes_table ap_lane_steps = {.step_boxes = ap_box_lanes_step, .step_hulls = ap_hull_lanes_step};
